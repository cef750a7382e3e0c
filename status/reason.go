package status

// Retry says what repeating the same call may achieve.
type Retry uint8

// The retry classes of a reason. The zero value is invalid.
const (
	_ Retry = iota
	NoRetry
	RetryLater    // the same call may succeed later
	RetryCooldown // only once the circuit's cool-down has ended
)

// Reason says why, in one word of the table below. It fixes stage, code,
// severity, default retryability and what an operator does about it. The zero
// Reason is [UncaughtServerError].
type Reason struct{ row *reasonRow }

type reasonRow struct {
	name     string
	stage    Stage
	code     Code
	severity Severity
	retry    Retry
	because  string // completes "Could not check …: "
	action   string // what an operator or the caller does
}

func reason(name string, stage Stage, code Code, severity Severity, retry Retry, because, action string) Reason {
	return Reason{&reasonRow{name, stage, code, severity, retry, because, action}}
}

func (r Reason) get() *reasonRow {
	if r.row == nil {
		return UncaughtServerError.row
	}
	return r.row
}

// Name is the reason on the wire.
func (r Reason) Name() string { return r.get().name }

// String is the reason on the wire.
func (r Reason) String() string { return r.get().name }

// Stage is where a failure for this reason happens.
func (r Reason) Stage() Stage { return r.get().stage }

// Code is whose move it is. [CircuitOpen] takes the code of the first failure instead.
func (r Reason) Code() Code { return r.get().code }

// Severity says what a chain of dependent steps does next.
func (r Reason) Severity() Severity { return r.get().severity }

// Retry is the default retry class.
func (r Reason) Retry() Retry { return r.get().retry }

// Because is the clause that explains the reason, with {placeholders}.
func (r Reason) Because() string { return r.get().because }

// Action is what an operator or caller does about it, with {placeholders}.
func (r Reason) Action() string { return r.get().action }

// ReasonNamed returns the reason with that name on the wire.
func ReasonNamed(name string) (Reason, bool) {
	for _, r := range reasons {
		if r.row.name == name {
			return r, true
		}
	}
	return Reason{}, false
}

// Reasons lists the whole table in the order of the stages of a call.
func Reasons() []Reason { return append([]Reason(nil), reasons...) }

// The reasons. Each variable is its row: there is no second list of the facts.
var (
	MissingRequiredArgument = reason("missing_required_argument", BindRequest, InputMissing, Recoverable, NoRetry,
		"a required argument is missing: {argument_names}", "Call again with {argument_names}.")
	InvalidArgument = reason("invalid_argument", BindRequest, InputMissing, Recoverable, NoRetry,
		"an argument cannot be used: {argument_names}", "Correct {argument_names} as the evidence says and call again.")
	UnknownArgument = reason("unknown_argument", BindRequest, InputMissing, Recoverable, NoRetry,
		"the tool does not take this argument: {argument_names}", "Use the argument names that the evidence lists.")
	ArgumentCoercionFailed = reason("argument_coercion_failed", BindRequest, InputMissing, Recoverable, NoRetry,
		"an argument has the wrong type: {argument_names}", "Send {argument_names} in the type that the evidence names.")
	EnumRequired = reason("enum_required", BindRequest, InputMissing, Recoverable, NoRetry,
		"an argument must be one of a closed list: {argument_names}", "Choose one of the values that the evidence lists.")
	QueryRefused = reason("query_refused", BindRequest, InputMissing, Recoverable, NoRetry,
		"{source} refused the query as it stands", "Shorten or simplify the query and call again.")
	DynamicOptionRequired = reason("dynamic_option_required", BindRequest, InputMissing, Recoverable, NoRetry,
		"an argument must be one of the options that the evidence lists: {argument_names}", "Choose one of the options that the evidence lists.")

	NoCandidates = reason("no_candidates", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"{reference} could not be matched to an object", "Check the spelling, or give a link or a full reference.")
	NotFoundConfirmed = reason("not_found_confirmed", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"{reference} is not in {container}, which is visible", "Check the reference; {container} itself was read.")
	AbsentOrHidden = reason("absent_or_hidden", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"{source} does not tell whether {reference} exists or is hidden from this account", "Check the spelling of {reference}, or let the account of source {source} see {container}.")
	// UnresolvedRevision: a clone knows no revision of that name, and nobody asked its remote. LG-29.
	UnresolvedRevision = reason("unresolved_revision", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"{reference} could not be resolved in this clone, and the remote was not asked", "Check the spelling of {reference}, or run git fetch in the clone: the remote may have it.")
	MovedOutOfSight = reason("moved_out_of_sight", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"{reference} was moved to a place that this account cannot see", "Ask for access to the new place, or for its new address.")
	FilterUnresolved = reason("filter_unresolved", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"the filter {filter} did not resolve in {source}", "Use a value that the source knows; the evidence lists some where they are known.")
	WrongKind = reason("wrong_kind", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"{reference} is {part}", "Ask for {reference} with the tool for {part}.")
	LowConfidence = reason("low_confidence", Resolve, ReferenceUnresolved, Recoverable, NoRetry,
		"the best match is too weak to be taken", "Confirm one of the candidates.")
	ConnectorNotConfigured = reason("connector_not_configured", Resolve, CapabilityUnavailable, Fatal, NoRetry,
		"this server is not connected to {provider}", "Add a source for {provider} to frank.yaml; this version can connect {options}.")
	ConnectorDisabled = reason("connector_disabled", Resolve, CapabilityUnavailable, Fatal, NoRetry,
		"this capability is switched off in the configuration", "Switch it on in frank.yaml ({config_key}).")
	OperationUnsupported = reason("operation_unsupported", Resolve, CapabilityUnavailable, Fatal, NoRetry,
		"{source} does not offer {feature}", "Use another source or tool for {feature}.")
	Misconfigured = reason("misconfigured", Resolve, CapabilityUnavailable, Fatal, NoRetry,
		"source {source} is configured wrongly ({problem})", "Correct {config_key} of source {source} in frank.yaml, then run frank doctor.")

	AmbiguousTarget = reason("ambiguous_target", SelectTarget, ReferenceUnresolved, Recoverable, NoRetry,
		"{reference} fits several objects", "Choose one of the candidates.")

	AuthContextRequired = reason("auth_context_required", AuthPreflight, AccessDenied, Fatal, NoRetry,
		"{source} answered without accepting a credential", "Give source {source} a working credential (see frank doctor).")
	AuthProfileMissing = reason("auth_profile_missing", AuthPreflight, AccessDenied, Fatal, NoRetry,
		"the credential of source {source} is not set where the configuration points", "Set the credential of source {source}: {remedy}.")
	AuthHeaderResolutionFailed = reason("auth_header_resolution_failed", AuthPreflight, AccessDenied, Fatal, NoRetry,
		"the credential of source {source} is unusable as it stands", "Repair the credential of source {source}: {remedy}.")
	CircuitOpen = reason("circuit_open", AuthPreflight, SourceUnreliable, Recoverable, RetryCooldown,
		"{source} failed ({first_reason}) and is resting", "Repeat after {retry_after} seconds, or change the credential or address of source {source}.")

	FeatureDisabled = reason("feature_disabled", Execute, CapabilityUnavailable, Fatal, NoRetry,
		"{feature} is switched off in {container}", "Switch {feature} on in {container}, or ask where it is kept.")
	EndpointGone = reason("endpoint_gone", Execute, CapabilityUnavailable, Fatal, NoRetry,
		"{source} no longer offers this interface", "Update frank, or ask the operator of {source}.")
	IndexNotCovering = reason("index_not_covering", Execute, CapabilityUnavailable, Recoverable, NoRetry,
		"the search index of {source} does not cover all of {container}", "Search a local clone, or narrow the question to what the index covers.")
	CloneIncomplete = reason("clone_incomplete", Execute, CapabilityUnavailable, Recoverable, NoRetry,
		"the clone does not hold all of the repository ({part})", "Complete the clone ({part}), or ask the remote.")
	ContentNotIncluded = reason("content_not_included", Execute, CapabilityUnavailable, Recoverable, NoRetry,
		"some content is not included ({part})", "Read the content where it is kept, or ask for another part.")
	ProviderCap = reason("provider_cap", Execute, CapabilityUnavailable, Recoverable, NoRetry,
		"{source} cuts this answer at a limit of its own", "Narrow the question so that the answer stays under the limit.")
	OwnCap = reason("own_cap", Execute, CapabilityUnavailable, Recoverable, NoRetry,
		"frank cut this answer at a limit of its own", "Narrow the question, or ask for the next part.")

	AuthFailed = reason("auth_failed", Execute, AccessDenied, Fatal, NoRetry,
		"{source} rejected the credential", "Replace the credential of source {source}; it is expired, revoked or wrong.")
	ScopeMissing = reason("scope_missing", Execute, AccessDenied, Fatal, NoRetry,
		"the credential of source {source} lacks {scope}", "Grant the credential of source {source} {scope} on {container}, or paste an approved export.")
	SSORequired = reason("sso_required", Execute, AccessDenied, Fatal, NoRetry,
		"the organization wants the credential of source {source} authorized for single sign-on", "Authorize the credential for single sign-on at {unblock_url}.")
	NetworkPolicyBlocked = reason("network_policy_blocked", Execute, AccessDenied, Fatal, NoRetry,
		"{source} does not admit this network address or application", "Let the organization admit this network or application, or ask from another one.")
	RowsHidden = reason("rows_hidden", Execute, AccessDenied, Recoverable, NoRetry,
		"{source} left rows out that this account may not see", "Give the account of source {source} access to the hidden rows, or name the limit in the answer.")
	CaptchaRequired = reason("captcha_required", Execute, AccessDenied, Fatal, NoRetry,
		"{source} wants a person to solve a challenge first", "Sign in to {source} in a browser once, then repeat.")
	AccountBlocked = reason("account_blocked", Execute, AccessDenied, Fatal, NoRetry,
		"the account or object is blocked at {source}", "Ask the operator of {source} to unblock it.")
	LoginPage = reason("login_page", Execute, AccessDenied, Fatal, NoRetry,
		"{source} answered with a sign-in page", "Give source {source} a credential that its interface accepts, or check base_url.")
	// PermissionDenied: the operating system does not let this account read or write it. LD-01.
	PermissionDenied = reason("permission_denied", Execute, AccessDenied, Recoverable, NoRetry,
		"the account that runs frank has no access to {part}", "Give the account that runs frank access to {part}, or name the limit in the answer.")
	// OwnershipRefused: git opens no repository that belongs to somebody else. LG-16.
	OwnershipRefused = reason("ownership_refused", Execute, AccessDenied, Fatal, NoRetry,
		"git refuses the repository of {source}, because it belongs to another user", "Run frank as the owner of the repository, or let the operator of this machine trust it in git's safe.directory.")
	RateLimited = reason("rate_limited", Execute, SourceUnreliable, Recoverable, RetryLater,
		"{source} limits the rate of requests", "Repeat after {retry_after} seconds.")
	HTTP5xx = reason("http_5xx", Execute, SourceUnreliable, Recoverable, RetryLater,
		"{source} failed inside (HTTP {http_status})", "Repeat later; if it stays, tell the operator of {source}.")
	Timeout = reason("timeout", Execute, SourceUnreliable, Recoverable, RetryLater,
		"{source} did not answer in time", "Repeat later or ask for less.")
	// ObjectNotFetched: a partial clone lacks an object that it promises to fetch when it is needed. LG-06.
	ObjectNotFetched = reason("object_not_fetched", Execute, SourceUnreliable, Recoverable, RetryLater,
		"an object of this partial clone was never fetched, and frank does not fetch by itself", "Fetch it with git in the clone ({part}), then repeat.")
	NetworkError = reason("network_error", Execute, SourceUnreliable, Recoverable, RetryLater,
		"the connection to {source} failed ({error_class})", "Check the network and base_url of source {source}, then repeat.")
	Pending = reason("pending", Execute, SourceUnreliable, Recoverable, RetryLater,
		"{source} is still computing the answer", "Repeat in a few seconds.")
	HTTP4xx = reason("http_4xx", Execute, SourceUnreliable, Recoverable, NoRetry,
		"{source} refused the request (HTTP {http_status})", "Report it with the evidence; the request was not understood as meant.")
	TLSError = reason("tls_error", Execute, SourceUnreliable, Fatal, NoRetry,
		"the identity of {source} could not be verified (TLS)", "Check the certificate and base_url of source {source}.")
	NotJSON = reason("not_json", Execute, SourceUnreliable, Recoverable, RetryLater,
		"{source} answered in the wrong media type ({media_type})", "Check for a proxy or portal in between, then repeat.")
	TruncatedBody = reason("truncated_body", Execute, SourceUnreliable, Recoverable, RetryLater,
		"the answer of {source} was cut on its way", "Repeat the call.")
	ShapeError = reason("shape_error", Execute, SourceUnreliable, Recoverable, RetryLater,
		"the answer of {source} lacks a part that it must have ({missing_key})", "Repeat once; if it stays, tell the operator of {source}.")
	GraphQLError = reason("graphql_error", Execute, SourceUnreliable, Recoverable, NoRetry,
		"{source} reported an error inside its answer", "Ask for less, or report it with the evidence.")
	IndexIncomplete = reason("index_incomplete", Execute, SourceUnreliable, Recoverable, RetryLater,
		"{source} says that its search ended before it was complete", "Repeat, or narrow the query.")
	Stale = reason("stale", Execute, SourceUnreliable, Recoverable, RetryLater,
		"what {source} holds may be out of date ({age_seconds} seconds old)", "Refresh the source, then repeat.")
	Contradictory = reason("contradictory", Execute, SourceUnreliable, Recoverable, NoRetry,
		"{source} contradicts itself ({marker})", "Check in the source itself before relying on it.")
	CursorLoop = reason("cursor_loop", Execute, SourceUnreliable, Recoverable, NoRetry,
		"{source} hands out the same page again", "Start again without the cursor, or narrow the question.")
	Corrupt = reason("corrupt", Execute, SourceUnreliable, Fatal, NoRetry,
		"the data of {source} is damaged ({part})", "Repair it (for git: git fsck), then repeat.")
	// WriteFailed: the operating system did not carry out a change of a file; the disk is full, say.
	WriteFailed = reason("write_failed", Execute, SourceUnreliable, Recoverable, RetryLater,
		"the system failed to write {part} ({error_class})", "Make room on the disk or repair it, then repeat.")
	// ProgramFailed: a command that reads the source ended in a way nobody foresaw.
	ProgramFailed = reason("program_failed", Execute, SourceUnreliable, Recoverable, NoRetry,
		"a program that reads {source} failed ({part}, exit status {exit_code})", "Run frank doctor, and report it with the evidence.")
	Unproven = reason("unproven", Execute, SourceUnreliable, Recoverable, NoRetry,
		"a check that could have been made was not ({check})", "Report it with the evidence; the answer stays unconfirmed.")

	CleanupFailed = reason("cleanup_failed", Cleanup, SourceUnreliable, Recoverable, NoRetry,
		"a step could not be undone", "Undo the completed steps by hand.")
	CleanupNotConfigured = reason("cleanup_not_configured", Cleanup, SourceUnreliable, Recoverable, NoRetry,
		"there is no way to undo a completed step", "Check the completed steps by hand.")
	PolicyDenied = reason("policy_denied", Policy, AccessDenied, Fatal, NoRetry,
		"the policy of this server does not allow it", "Ask the operator of this server to change only or policy in frank.yaml.")
	UncaughtServerError = reason("uncaught_server_error", Service, SourceUnreliable, Fatal, NoRetry,
		"frank itself failed", "Report it with the call_id; the log of frank has the record.")
	Cancelled = reason("cancelled", Service, SourceUnreliable, Recoverable, NoRetry,
		"the call was cancelled before it ended", "Call again if the answer is still wanted.")
)

var reasons = []Reason{
	MissingRequiredArgument, InvalidArgument, UnknownArgument, ArgumentCoercionFailed, EnumRequired, QueryRefused, DynamicOptionRequired,
	NoCandidates, NotFoundConfirmed, AbsentOrHidden, UnresolvedRevision, MovedOutOfSight, FilterUnresolved, WrongKind, LowConfidence,
	ConnectorNotConfigured, ConnectorDisabled, OperationUnsupported, Misconfigured,
	AmbiguousTarget,
	AuthContextRequired, AuthProfileMissing, AuthHeaderResolutionFailed, CircuitOpen,
	FeatureDisabled, EndpointGone, IndexNotCovering, CloneIncomplete, ContentNotIncluded, ProviderCap, OwnCap,
	AuthFailed, ScopeMissing, SSORequired, NetworkPolicyBlocked, RowsHidden, CaptchaRequired, AccountBlocked, LoginPage, PermissionDenied, OwnershipRefused,
	RateLimited, HTTP5xx, Timeout, ObjectNotFetched, NetworkError, Pending,
	HTTP4xx, TLSError, NotJSON, TruncatedBody, ShapeError, GraphQLError, IndexIncomplete, Stale, Contradictory, CursorLoop, Corrupt, WriteFailed, ProgramFailed, Unproven,
	CleanupFailed, CleanupNotConfigured, PolicyDenied, UncaughtServerError, Cancelled,
}
