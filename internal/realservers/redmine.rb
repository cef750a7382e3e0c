# What the tests with the build tag realservers find in Redmine; run by redmine.sh.
Redmine::DefaultData::Loader.load('en')
ActiveJob::Base.queue_adapter = :inline # threads of its own would lock the database
ActionMailer::Base.perform_deliveries = false
Setting.notified_events = []
Setting.rest_api_enabled = 1
Setting.login_required = 0
Setting.text_formatting = 'textile'
Setting.cross_project_issue_relations = 1

account = lambda { |login, admin = false|
  u = User.new(firstname: login.capitalize, lastname: 'Test', mail: "#{login}@example.net", language: 'en')
  u.login, u.admin = login, admin
  u.password = u.password_confirmation = SecureRandom.hex(12)
  u.save!
  u
}
root = account.call('root', true)
alice = account.call('alice')
bob = account.call('bob')
eve = account.call('eve')        # in no project
walt = account.call('walt')      # sees issues, but no wiki

manager = Role.givable.find_by!(name: 'Manager')
reporter = Role.givable.find_by!(name: 'Reporter')
wikiless = Role.create!(name: 'Wikiless', issues_visibility: 'default', permissions: %i[view_issues add_issue_notes], assignable: true)

project = lambda { |id, public, modules, parent = nil|
  p = Project.new(identifier: id, name: id.capitalize, description: "The project #{id}.")
  p.is_public, p.enabled_module_names, p.trackers = public, modules, Tracker.all
  p.save!
  p.set_parent!(parent) if parent
  Member.create!(project: p, principal: alice, roles: [manager])
  p
}
pub = project.call('pub', true, %w[issue_tracking wiki])
sub = project.call('pub-sub', true, %w[issue_tracking wiki], pub)
prv = project.call('priv', false, %w[issue_tracking wiki])
closed = project.call('closedproj', true, %w[issue_tracking wiki])
archived = project.call('archived', true, %w[issue_tracking wiki])
project.call('noissues', true, %w[wiki])
project.call('nowiki', true, %w[issue_tracking])
void = project.call('void', true, %w[issue_tracking wiki])
Member.create!(project: pub, principal: bob, roles: [reporter])
Member.create!(project: prv, principal: walt, roles: [wikiless])
Role.anonymous.add_permission!(:view_issues, :view_wiki_pages)
Role.non_member.add_permission!(:view_issues, :view_wiki_pages)

tracker = Tracker.find_by!(name: 'Bug')
urgent = IssuePriority.find_by!(name: 'Urgent')
normal = IssuePriority.find_by!(name: 'Normal')
shut = IssueStatus.find_by!(name: 'Closed')
field = IssueCustomField.create!(name: 'Customer', field_format: 'string', is_for_all: true, is_filter: true, searchable: true, trackers: Tracker.all)
ui = IssueCategory.create!(project: pub, name: 'UI')
IssueCategory.create!(project: pub, name: 'Unused')
version = Version.create!(project: pub, name: '2.0')

issue = lambda { |p, subject, more = {}|
  Issue.create!({ project: p, tracker: tracker, author: alice, priority: normal, subject: subject, description: '' }.merge(more))
}
first = issue.call(pub, 'Crash on save — ünïcode ✓', priority: urgent, category: ui, fixed_version: version, assigned_to: alice,
                   description: "h2. Steps\n\n* press *Save*\n* wait", custom_field_values: { field.id.to_s => 'Acme' })
149.times { |i| issue.call(pub, "Issue number #{i + 2}", author: i.odd? ? bob : alice) }
second = Issue.find(2)
issue.call(sub, 'In the subproject')
secret = issue.call(prv, 'Secret of the private project')
issue.call(pub, 'Private in the public project', is_private: true)
issue.call(closed, 'In the closed project')
issue.call(archived, 'In the archived project')
IssueRelation.create!(issue_from: first, issue_to: second, relation_type: 'relates')
IssueRelation.create!(issue_from: first, issue_to: secret, relation_type: 'relates')

note = lambda { |who, text, secretly = false|
  i = Issue.find(first.id)
  i.init_journal(who, text).private_notes = secretly
  i.save!
}
note.call(bob, 'Seen on three machines too')
note.call(alice, 'Only between us: zanzibar', true)
done = Issue.find(second.id)
done.init_journal(alice, '')
done.status = shut
done.save!

page = lambda { |p, title, text, parent = nil|
  w = p.wiki || p.create_wiki(start_page: 'Wiki')
  pg = w.find_or_new_page(title)
  pg.content = WikiContent.new(page: pg, text: text, author: alice)
  pg.parent = w.find_page(parent) if parent
  pg.save_with_content(pg.content) or raise "page #{title}"
}
WikiContent # autoload
page.call(pub, 'Wiki', "h1. Public wiki\n\nHello *world*, and \"more\":http://example.net.\n\nh2. Setup\n\nInstall it.\n\nh2. Use\n\nStart it.")
page.call(pub, 'User guide', "h1. User guide\n\nEverything about the walrus.", 'Wiki')
page.call(prv, 'Wiki', "h1. Private wiki\n\nThe walrus sleeps.")
page.call(pub, 'Old name', "h1. Renamed\n\nIt has moved.")
moved = pub.wiki.find_page('Old name')
moved.title = 'New name'
moved.redirect_existing_links = '1'
moved.save!

closed.reload.close
archived.reload.archive
[root, alice, bob, eve, walt].each { |u| puts "KEY #{u.login} #{u.api_key}" }
