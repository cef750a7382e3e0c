package escalation

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/frank-mcp/frank/internal/upstream"
	"github.com/frank-mcp/frank/status"
)

// Message is what a webhook or a command gets. Fields are only ever added.
type Message struct {
	Version  int    `json:"version"`
	Event    string `json:"event"`    // escalation.opened, escalation.resolved, escalation.digest
	Delivery string `json:"delivery"` // the same for every repetition
	// Repeat: an earlier attempt at this delivery may have arrived.
	Repeat      bool      `json:"repeat,omitempty"`
	SentAt      time.Time `json:"sent_at"`
	Destination string    `json:"destination"`
	Escalation  *Record   `json:"escalation,omitempty"`
	Escalations []Record  `json:"escalations,omitempty"` // of a digest
}

// Headers of a webhook. The signature is the hexadecimal HMAC-SHA256, under the
// secret, of the timestamp, a dot and the body.
const (
	HeaderSignature = "X-Frank-Signature"
	HeaderTimestamp = "X-Frank-Timestamp"
	HeaderDelivery  = "X-Frank-Delivery"
	HeaderEvent     = "X-Frank-Event"
	HeaderRepeat    = "X-Frank-Repeat"
)

// Sign is the value of [HeaderSignature].
func Sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(timestamp + ".")) // a hash never fails
	_, _ = mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Why an attempt came to nothing, where no reason of the status package says it.
const (
	problemNotSet     = "variable_not_set"
	problemGone       = "escalation_not_kept"
	problemProgram    = "program_not_started"
	problemExit       = "program_failed"
	problemTime       = "timeout"
	problemRedirected = "redirected"
)

// send makes one attempt.
func (k *Keeper) send(ctx context.Context, d delivery) outcome {
	to := k.Rules().Destinations[d.destination]
	switch {
	case len(d.records) == 0:
		return outcome{useless: true, problem: problemGone}
	case d.event == eventResolved && k.Rules().Quiet:
		return outcome{ok: true}
	}
	m := Message{Version: 1, Event: "escalation." + d.event, Delivery: d.id, Repeat: d.unsure, SentAt: k.opts.Now().UTC().Truncate(time.Second), Destination: d.destination}
	if d.event == eventDigest {
		m.Escalations = d.records
	} else {
		m.Escalation = &d.records[0]
	}
	var body []byte
	var err error
	if to.Slack {
		body, err = json.Marshal(struct {
			Text string `json:"text"`
		}{slackText(m)})
	} else {
		body, err = json.Marshal(m)
	}
	if err != nil {
		return outcome{useless: true, problem: status.UncaughtServerError.Name()}
	}
	ctx, cancel := context.WithTimeout(ctx, attempt)
	defer cancel()
	if len(to.Command) > 0 {
		return command(ctx, to.Command, body)
	}
	return k.post(ctx, to, m, body)
}

// command runs a program, without a shell, with the message on standard input.
func command(ctx context.Context, argv []string, body []byte) outcome {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin = bytes.NewReader(body)
	c.WaitDelay = time.Second
	var failed *exec.ExitError
	switch err := c.Run(); {
	case err == nil:
		return outcome{ok: true}
	case ctx.Err() != nil:
		return outcome{unsure: true, problem: problemTime}
	case errors.As(err, &failed):
		return outcome{problem: problemExit}
	case c.Process == nil:
		return outcome{problem: problemProgram}
	default: // it ended well, but did not read all or left something running
		return outcome{unsure: true, problem: problemExit}
	}
}

// answers are the statuses that mean "delivered", and redirects, which are not followed.
func answers() []int {
	all := []int{301, 302, 303, 307, 308}
	for code := 200; code < 300; code++ {
		all = append(all, code)
	}
	return all
}

// post sends the message to a webhook. The outbox alone repeats it, and rests
// between attempts: the client of an attempt has neither retries nor a circuit.
func (k *Keeper) post(ctx context.Context, to Target, m Message, body []byte) outcome {
	address, secret, ok := k.address(to)
	if !ok {
		return outcome{problem: problemNotSet}
	}
	u, err := url.Parse(address)
	if err != nil {
		return outcome{problem: status.Misconfigured.Name()}
	}
	client, f := upstream.New(upstream.Options{
		Source: "escalation to " + m.Destination, BaseURL: u.Scheme + "://" + u.Host, Insecure: to.Insecure, Transport: k.opts.Transport,
		UserAgent: "frank/" + k.opts.Version, Retry: upstream.Retry{MaxAttempts: 1, Budget: attempt, Timeout: attempt / 2, Cooldown: time.Millisecond}, Now: k.opts.Now,
	})
	if f != nil {
		return outcome{problem: f.Reason().Name()}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return outcome{problem: status.Misconfigured.Name()}
	}
	h := req.Header
	h.Set("Content-Type", "application/json")
	h.Set(HeaderDelivery, m.Delivery)
	h.Set(HeaderEvent, m.Event)
	if m.Repeat {
		h.Set(HeaderRepeat, "true")
	}
	if secret != "" {
		stamp := strconv.FormatInt(m.SentAt.Unix(), 10)
		h.Set(HeaderTimestamp, stamp)
		h.Set(HeaderSignature, Sign(secret, stamp, body))
	}
	// The receiver can tell repetitions, so an answer that asks for one is believed.
	x, f := client.Send(req, upstream.Want{Class: "POST webhook", Statuses: answers(), Media: upstream.NoBody, NoCache: true, Repeatable: true})
	switch {
	case f != nil:
		return outcome{unsure: mayHaveArrived(x, *f), problem: f.Reason().Name(), after: f.RetryAfter()}
	case x.Status >= 300:
		return outcome{problem: problemRedirected}
	default:
		return outcome{ok: true}
	}
}

// mayHaveArrived is false only where nothing was sent, or where the receiver said
// that it did not take it.
func mayHaveArrived(x *upstream.Exchange, f status.Failure) bool {
	if x != nil && (x.Status == http.StatusServiceUnavailable || x.Status >= 400 && x.Status < 500) {
		return false
	}
	return f.APICalled() != status.NotCalled
}

// address is where a webhook is, and the key of its signatures.
func (k *Keeper) address(to Target) (address, secret string, ok bool) {
	address = to.Webhook
	if to.WebhookEnv != "" {
		if address, ok = k.opts.LookupEnv(to.WebhookEnv); !ok || address == "" {
			return "", "", false
		}
		k.opts.Learn(address)
	}
	if to.SecretEnv != "" {
		if secret, ok = k.opts.LookupEnv(to.SecretEnv); !ok || secret == "" {
			return "", "", false
		}
		k.opts.Learn(secret)
	}
	return address, secret, true
}

// slackText is the message as one text in Slack's markup.
func slackText(m Message) string {
	var b strings.Builder
	if m.Repeat {
		b.WriteString("(Repeated: an earlier message may have arrived.)\n")
	}
	all := m.Escalations
	if m.Escalation != nil {
		all = []Record{*m.Escalation}
	} else {
		b.WriteString("*frank: " + strconv.Itoa(len(all)) + " more questions need a person*\n")
	}
	for _, r := range all {
		slackRecord(&b, r, m.Escalation != nil)
	}
	text := strings.TrimRight(b.String(), "\n")
	if r := []rune(text); len(r) > maxSlack { // Slack refuses longer ones
		text = string(r[:maxSlack]) + "…\nThe rest: `frank escalations`"
	}
	return text
}

// maxSlack is in characters, and leaves room for the last line.
const maxSlack = 39_000

func slackRecord(b *strings.Builder, r Record, whole bool) {
	plain := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", " ")
	if r.Resolution != nil {
		b.WriteString("*" + r.ID + " was " + string(r.State) + "*: " + plain.Replace(r.Resolution.Note) + "\n")
		return
	}
	b.WriteString("*A question needs a person* (" + r.ID + ", " + string(r.Trigger) + ")\n> " + plain.Replace(r.Question) + "\n")
	if !whole {
		return
	}
	b.WriteString("Context: " + plain.Replace(r.Context) + "\n")
	if r.NextStep != nil {
		b.WriteString("Suggested, unchecked: " + plain.Replace(r.NextStep.Text) + "\n")
	}
	b.WriteString("Answer with: `frank escalations resolve " + r.ID + " --note …`\n")
}
