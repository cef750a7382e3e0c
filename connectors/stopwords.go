package connectors

import "strings"

// Unindexed reports whether an index of English, which is the default of Jira and
// Confluence, leaves all of the words out, so that a search for them finds nothing
// wherever they stand.
// https://confluence.atlassian.com/jirasoftwareserver/search-syntax-for-text-fields-939938747.html
func Unindexed(words string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		switch strings.Trim(w, ".,;:!()'") {
		case "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of", "on", "or",
			"such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with":
		default:
			return false
		}
	}
	return true
}
