package github

import "encoding/json"

// What the structs of wire_repo.go tell by which keys are there.

// UnmarshalJSON tells a file without size or content from an empty one.
func (w *wireContent) UnmarshalJSON(data []byte) error {
	type plain wireContent
	p := struct {
		*plain
		Size    *int64  `json:"size"`
		Content *string `json:"content"`
	}{plain: (*plain)(w)}
	if err := json.Unmarshal(data, &p); err != nil {
		return err // its type decides how it is told
	}
	w.sized, w.filled = p.Size != nil && *p.Size >= 0, p.Content != nil
	w.Bytes = p.Size
	if p.Content != nil {
		w.Content = *p.Content
	}
	return nil
}

func (w wireEntry) Missing() string {
	switch {
	case w.Path == "":
		return "path"
	case w.SHA == "":
		return "sha"
	case w.Type != "blob" && w.Type != "tree" && w.Type != "commit":
		return "type"
	}
	return ""
}

// home is the repository, whose owner some servers name only in full_name.
func (w wireListedRepo) home() (repoName, bool) {
	r, ok := parseRepo(*w.FullName)
	if w.Owner.Login != "" {
		r.owner = w.Owner.Login
	}
	return r, ok
}

// filed is how many files are listed, nil if it is not told.
func (w wireCompare) filed() *int {
	if w.Files == nil {
		return nil
	}
	n := len(*w.Files)
	return &n
}
