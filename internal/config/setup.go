package config

// Setup is what setting up a source of one provider asks for, and where the answers
// may already lie on a machine: in variables that other programs for the provider
// have made common. Names only; nothing here is a secret.
type Setup struct {
	Provider string
	// Example is a base_url; "" if the provider has none.
	Example string
	// Project says what default_project is, with an example; "" if there is none.
	Project string
	// URLs and Projects name the variables that may hold base_url and
	// default_project, the best first.
	URLs, Projects []string
	// Users, Tokens and Passwords name those that may hold the parts of a credential.
	// A password is sent with a user's name, a token only where InPairs says so.
	Users, Tokens, Passwords []string
	// User says what stands before the colon of a pair, "" if there are none.
	User string
	// Public is true if much of what the provider serves is there for everybody, so
	// that a source without a credential needs no second thought.
	Public bool
	// Token says how the credential is made and what it needs at the least.
	Token string
}

// InPairs reports whether a token for this address is sent with a user's name: so it
// is at Atlassian's own sites, and not at a Data Center.
func (s Setup) InPairs(baseURL string) bool {
	return (s.Provider == Jira || s.Provider == Confluence) && atlassianCloud(baseURL)
}

// Setups returns those of all providers that can be set up, in the order in which they
// are offered.
func Setups() []Setup {
	return []Setup{
		{Provider: Local},
		{
			Provider: GitHub, Example: defaultBaseURL(GitHub), Project: "a repository, such as acme/app", Public: true,
			Token: "A fine-grained token (github.com/settings/personal-access-tokens) with read access to Contents, Issues, Pull requests, " +
				"Commit statuses and Checks of the repositories that count; write access to Issues if frank may write.",
		},
		{
			Provider: Jira, Example: exampleURL(Jira), Project: "the key of a project, such as PAY",
			URLs: []string{"JIRA_BASE_URL", "JIRA_URL", "JIRA_SERVER", "JIRA_HOST", "ATLASSIAN_BASE_URL", "ATLASSIAN_URL", "ATLASSIAN_SITE_URL"}, Projects: []string{"JIRA_PROJECT", "JIRA_PROJECT_KEY"},
			Users:  []string{"JIRA_EMAIL", "JIRA_USERNAME", "JIRA_USER", "ATLASSIAN_EMAIL", "ATLASSIAN_USER_EMAIL"},
			Tokens: []string{"JIRA_API_TOKEN", "JIRA_TOKEN", "JIRA_PERSONAL_TOKEN", "JIRA_PAT", "ATLASSIAN_API_TOKEN", "ATLASSIAN_TOKEN"}, User: "e-mail",
			Token: "Cloud: an API token (id.atlassian.com/manage-profile/security/api-tokens), sent with the e-mail of the account; with scopes " +
				"read:jira-work and read:jira-user. Data Center: a personal access token from the profile. The account needs Browse Projects.",
		},
		{
			Provider: Confluence, Example: exampleURL(Confluence), Project: "the key of a space, such as DOCS",
			URLs: []string{"CONFLUENCE_BASE_URL", "CONFLUENCE_URL", "ATLASSIAN_BASE_URL", "ATLASSIAN_URL", "ATLASSIAN_SITE_URL"}, Projects: []string{"CONFLUENCE_SPACE", "CONFLUENCE_SPACE_KEY"},
			Users:  []string{"CONFLUENCE_EMAIL", "CONFLUENCE_USERNAME", "CONFLUENCE_USER", "ATLASSIAN_EMAIL", "ATLASSIAN_USER_EMAIL"},
			Tokens: []string{"CONFLUENCE_API_TOKEN", "CONFLUENCE_TOKEN", "CONFLUENCE_PERSONAL_TOKEN", "CONFLUENCE_PAT", "ATLASSIAN_API_TOKEN", "ATLASSIAN_TOKEN"}, User: "e-mail",
			Token: "Cloud: an API token (id.atlassian.com/manage-profile/security/api-tokens), sent with the e-mail of the account. " +
				"Data Center: a personal access token from the settings of the user. The account needs no more than to view the spaces.",
		},
		{
			Provider: Redmine, Example: exampleURL(Redmine), Project: "the identifier of a project, such as payments",
			URLs: []string{"REDMINE_BASE_URL", "REDMINE_URL", "REDMINE_HOST"}, Projects: []string{"REDMINE_PROJECT", "REDMINE_PROJECT_ID"},
			Tokens: []string{"REDMINE_API_KEY", "REDMINE_KEY", "REDMINE_API_TOKEN", "REDMINE_TOKEN"},
			Token:  "The API access key of the account (My account, on the right). Its roles need View issues and View wiki; the REST web service must be on.",
		},
		{
			Provider: MediaWiki, Example: exampleURL(MediaWiki), Project: "a namespace, such as Main or Help", Public: true,
			URLs: []string{"MEDIAWIKI_API_URL", "MEDIAWIKI_BASE_URL", "MEDIAWIKI_URL", "MEDIAWIKI_API"}, Projects: []string{"MEDIAWIKI_NAMESPACE"},
			Users: []string{"MEDIAWIKI_USERNAME", "MEDIAWIKI_USER"}, Passwords: []string{"MEDIAWIKI_PASSWORD", "MEDIAWIKI_BOT_PASSWORD"},
			Tokens: []string{"MEDIAWIKI_OAUTH_TOKEN", "MEDIAWIKI_ACCESS_TOKEN", "MEDIAWIKI_TOKEN"}, User: "name of the bot, user@bot",
			Token: "A bot password (the wiki's page Special:BotPasswords) with the grant Basic rights, as user@bot:password; or an OAuth token. " +
				"A wiki that everybody may read needs none.",
		},
	}
}

// SetupOf returns that of a provider, false if it cannot be set up.
func SetupOf(provider string) (Setup, bool) {
	for _, s := range Setups() {
		if s.Provider == provider {
			return s, true
		}
	}
	return Setup{}, false
}
