package app

import (
	"path/filepath"

	"github.com/frank-mcp/frank/internal/ledger"
	"github.com/frank-mcp/frank/internal/store"
)

// claims opens the ledger of changes over the store beside the journal.
func (a *App) claims() {
	if a.Store == nil {
		path := ""
		if a.options.Journal != "" {
			path = filepath.Join(filepath.Dir(a.options.Journal), "frank.db")
		}
		a.Store = store.Open(path, store.Options{Now: a.options.Now})
	}
	a.Deps.Ledger = ledger.New(a.Store, a.options.Now)
	a.Deps.Ledger.Forgetful = a.options.Forgetful
}
