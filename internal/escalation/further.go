package escalation

import "reflect"

// maxFurther bounds what is kept of later statements: the newest.
const maxFurther = 10

// add keeps what a later call said, unless it was said before.
func (r *Record) add(now Record, call string) {
	s := Statement{
		At: now.LastAt, By: now.OpenedBy, CallID: call, Trigger: now.Trigger, Question: now.Question, Context: now.Context,
		Attempted: now.Attempted, NextStep: now.NextStep, Confidence: now.Confidence,
	}
	said := Statement{Trigger: r.Trigger, Question: r.Question, Context: r.Context, Attempted: r.Attempted, NextStep: r.NextStep, Confidence: r.Confidence}
	if s.same(said) {
		return
	}
	if s.Trigger == r.Trigger {
		s.Trigger = ""
	}
	if s.Question == r.Question {
		s.Question = ""
	}
	for _, before := range r.Further {
		if s.same(before) {
			return
		}
	}
	r.Further = append(r.Further, s)
	if more := len(r.Further) - maxFurther; more > 0 {
		r.Further, r.Dropped = r.Further[more:], r.Dropped+more
	}
}

// same reports whether both say the same, whoever said it when.
func (s Statement) same(other Statement) bool {
	other.At, other.By, other.CallID = s.At, s.By, s.CallID
	return reflect.DeepEqual(s, other)
}

func callOf(o Opening) string {
	if o.Call == nil {
		return ""
	}
	return o.Call.ID
}
