// Package status is the vocabulary of frank: what may be concluded from an
// answer, whose move it is, and why.
//
// A connector builds a [Result] with [List], [One], [Absent] or [Failed]; the
// tools merge results with [Merge] and turn them into an [Envelope]; the server
// renders the envelope once, into a text channel and a structured channel.
//
// Invariants, none of which a caller outside this package can break:
//
//   - a pair of [Status] and [Code] that is not in the table of legal pairs is
//     never encoded;
//   - [Empty] is derived only from an [Audit] whose seven checks all hold;
//   - the zero [Result], the zero [Failure] and the zero [Envelope] encode as
//     access_failure / SOURCE_UNRELIABLE / uncaught_server_error;
//   - merging never turns "not checked" into "nothing".
//
// The package does no I/O, reads no clock and imports the standard library
// only. It never stores a credential, a header value or a response body.
package status
