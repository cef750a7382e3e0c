package tools

import (
	"context"
	"slices"
	"time"

	"github.com/frank-mcp/frank/internal/journal"
	"github.com/frank-mcp/frank/status"
)

type listFailuresArgs struct {
	Since  time.Time `arg:"since" word:"since %" doc:"date or RFC 3339 time"`
	Source string    `arg:"source" word:"of source %" max:"64"`
	Code   string    `arg:"code" word:"with code %" enum:"INPUT_MISSING,REFERENCE_UNRESOLVED,CAPABILITY_UNAVAILABLE,ACCESS_DENIED,SOURCE_UNRELIABLE"`
	Limit  int       `arg:"limit" min:"1" max:"100" default:"20"`
}

var listFailuresSpec = Spec{
	Name: "list_failures", Title: "List past failures", Operation: "journal.list", One: "recorded failure", Many: "recorded failures", Local: true,
	Description: "What earlier calls could not check and why, newest first, from this server's journal.",
}

var listFailures = tool[listFailuresArgs]{listFailuresSpec, pastFailures}

// recorded lists the sources that the journal may speak of: those that are configured,
// and those that it has, such as one that was configured before, or escalations.
func (d *Deps) recorded(ctx context.Context) []string {
	names := d.names("")
	for _, name := range append(d.Journal.Sources(ctx), OwnEscalations) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// maxTallies keeps the answer short; the rest are rare.
const maxTallies = 50

func pastFailures(ctx context.Context, d *Deps, a listFailuresArgs) status.Envelope {
	if a.Source != "" {
		if names := d.recorded(ctx); !slices.Contains(names, a.Source) {
			return listFailuresSpec.refuse(status.Fail(status.EnumRequired, status.Arguments.Is([]status.Argument{{
				Name: "source", Reason: status.EnumRequired.Name(), Problem: "must be one of the sources that are configured or that the journal has", Allowed: names,
			}}), status.ValidValues.Is(names)))
		}
	}
	if ctx.Err() != nil {
		return listFailuresSpec.refuse(status.Fail(status.Cancelled))
	}
	found := d.Journal.List(ctx, journal.Query{Since: a.Since, Source: a.Source, Code: a.Code, Limit: a.Limit})
	audit := new(status.Audit)
	audit.Hold(status.Proof{Request: "journal", At: d.Now()}, status.Transport, status.Shape, status.InBand, status.Identity, status.Scope, status.Completeness, status.Effectiveness)
	audit.Examined(found.Total)
	if !found.Read {
		audit.Unmade(status.Completeness, status.Fail(status.Corrupt, status.Part.Is("the journal file cannot be read or written, or was damaged")))
	}
	if found.Total > len(found.Records) {
		audit.Fail(status.Completeness, status.Fail(status.OwnCap, status.Limit.Is(a.Limit), status.Total.Is(found.Total)))
	}
	q := listFailuresSpec.question("")
	q.One, q.Many, q.Rest, q.Filters = listFailuresSpec.One, listFailuresSpec.Many, phrase(a), echo(a)
	q.Totals = found.Totals[:min(len(found.Totals), maxTallies)]
	q.Fallback = "use what is here, or narrow the question with since, source, code or limit"
	return status.List("journal", found.Records, audit).Envelope(q)
}
