package app

import "github.com/frank-mcp/frank/internal/ledger"

// claims opens the ledger of changes.
func (a *App) claims() {
	a.Deps.Ledger = ledger.New(a.Store, a.options.Now)
	a.Deps.Ledger.Forgetful = a.options.Forgetful
}
