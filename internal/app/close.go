package app

import "context"

// Close ends the use of what is kept on disk.
func (a *App) Close(context.Context) error { return a.Store.Close() }
