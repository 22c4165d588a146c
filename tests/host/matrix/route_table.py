"""The table of routes: who may use each of them. A route that is missing here fails a test.

============== ===================================================================================
class          who gets through
============== ===================================================================================
public         everybody
person         everybody who is signed in
team           members of a team of the edition, for their own team
captain        captains of a team of the edition, for their own team
red            members of the team red, to which the upload belongs
red-captain    the captain of the team red, to which the link or the member belongs
owner          the person to whom the token belongs
organiser      organisers of the edition
manager        organisers of the edition, and operators
operator       operators of the site
worker         a worker with its token
local          this machine, or a program with the token of the metrics
============== ===================================================================================
"""

_TABLE = """\
public      GET    /
person      GET    /account
person      POST   /account/name
person      POST   /account/password
person      GET    /account/second-factor
person      POST   /account/second-factor
person      POST   /account/sessions
person      GET    /account/tokens
person      POST   /account/tokens
owner       POST   /account/tokens/{number}/revoke
operator    GET    /accounts
operator    POST   /accounts
operator    POST   /accounts/invite
operator    POST   /accounts/{number}/disable
operator    POST   /accounts/{number}/enable
operator    POST   /accounts/{number}/operator
operator    POST   /accounts/{number}/password-link
operator    POST   /accounts/{number}/remove-second-factor
person      GET    /api/account
person      GET    /api/account/tokens
person      POST   /api/account/tokens
owner       DELETE /api/account/tokens/{number}
operator    GET    /api/accounts
operator    POST   /api/accounts
operator    POST   /api/accounts/invite
operator    POST   /api/accounts/{number}/disable
operator    POST   /api/accounts/{number}/enable
operator    POST   /api/accounts/{number}/operator
operator    POST   /api/accounts/{number}/password-link
operator    POST   /api/accounts/{number}/remove-second-factor
public      GET    /api/editions
operator    POST   /api/editions
public      GET    /api/editions/{edition}
public      GET    /api/editions/{edition}/archive
public      GET    /api/editions/{edition}/events
public      GET    /api/editions/{edition}/files
public      GET    /api/editions/{edition}/matrix/{track}
public      GET    /api/editions/{edition}/news
organiser   POST   /api/editions/{edition}/organise/amendments
organiser   POST   /api/editions/{edition}/organise/archive
organiser   GET    /api/editions/{edition}/organise/codabench
organiser   POST   /api/editions/{edition}/organise/codabench
organiser   POST   /api/editions/{edition}/organise/decisions
organiser   GET    /api/editions/{edition}/organise/draft
organiser   PUT    /api/editions/{edition}/organise/draft
organiser   DELETE /api/editions/{edition}/organise/draft/files/{name}
organiser   PUT    /api/editions/{edition}/organise/draft/files/{name}
organiser   POST   /api/editions/{edition}/organise/extensions
organiser   POST   /api/editions/{edition}/organise/freeze
organiser   POST   /api/editions/{edition}/organise/hand-over
organiser   GET    /api/editions/{edition}/organise/invitations
organiser   POST   /api/editions/{edition}/organise/invitations
organiser   DELETE /api/editions/{edition}/organise/invitations/{link}
organiser   GET    /api/editions/{edition}/organise/jobs/{number}
organiser   POST   /api/editions/{edition}/organise/jobs/{number}/cancel
organiser   POST   /api/editions/{edition}/organise/jobs/{number}/retry
organiser   POST   /api/editions/{edition}/organise/lint
organiser   GET    /api/editions/{edition}/organise/log
organiser   POST   /api/editions/{edition}/organise/news
organiser   DELETE /api/editions/{edition}/organise/news/{number}
manager     GET    /api/editions/{edition}/organise/organisers
operator    POST   /api/editions/{edition}/organise/organisers
operator    DELETE /api/editions/{edition}/organise/organisers/{account}
organiser   GET    /api/editions/{edition}/organise/overview
organiser   POST   /api/editions/{edition}/organise/prepare
organiser   POST   /api/editions/{edition}/organise/preview
organiser   GET    /api/editions/{edition}/organise/preview/kit
organiser   GET    /api/editions/{edition}/organise/registrations
organiser   POST   /api/editions/{edition}/organise/registrations/{team}/approve
organiser   PUT    /api/editions/{edition}/organise/registrations/{team}/competing
organiser   PUT    /api/editions/{edition}/organise/registrations/{team}/limits
organiser   POST   /api/editions/{edition}/organise/registrations/{team}/refuse
organiser   GET    /api/editions/{edition}/organise/rejudgings
organiser   POST   /api/editions/{edition}/organise/rejudgings
organiser   GET    /api/editions/{edition}/organise/rejudgings/{number}
organiser   POST   /api/editions/{edition}/organise/rejudgings/{number}/apply
organiser   POST   /api/editions/{edition}/organise/rejudgings/{number}/drop
organiser   POST   /api/editions/{edition}/organise/reveal
organiser   POST   /api/editions/{edition}/organise/score
organiser   PATCH  /api/editions/{edition}/organise/settings
public      GET    /api/editions/{edition}/rules
public      GET    /api/editions/{edition}/standings
team        GET    /api/editions/{edition}/team
person      POST   /api/editions/{edition}/team
captain     PUT    /api/editions/{edition}/team/captain
team        POST   /api/editions/{edition}/team/card
team        PUT    /api/editions/{edition}/team/choice
team        GET    /api/editions/{edition}/team/description
team        PUT    /api/editions/{edition}/team/description
team        GET    /api/editions/{edition}/team/files
team        GET    /api/editions/{edition}/team/files/{name:path}
team        GET    /api/editions/{edition}/team/history
person      POST   /api/editions/{edition}/team/join
team        GET    /api/editions/{edition}/team/kit
team        GET    /api/editions/{edition}/team/kit/state
team        POST   /api/editions/{edition}/team/kit/state
team        POST   /api/editions/{edition}/team/leave
captain     GET    /api/editions/{edition}/team/links
captain     POST   /api/editions/{edition}/team/links
red-captain DELETE /api/editions/{edition}/team/links/{link}
red-captain DELETE /api/editions/{edition}/team/members/{account}
public      GET    /api/editions/{edition}/teams
public      GET    /api/editions/{edition}/trust
team        GET    /api/editions/{edition}/uploads
team        POST   /api/editions/{edition}/uploads
red         GET    /api/editions/{edition}/uploads/{number}
red         GET    /api/editions/{edition}/uploads/{number}/receipt
public      GET    /api/openapi.json
public      POST   /api/set-password
public      POST   /api/sign-in
public      POST   /api/sign-up
worker      POST   /api/work/claim
worker      POST   /api/work/{job}/beat
worker      GET    /api/work/{job}/input
worker      POST   /api/work/{job}/result
public      GET    /check-receipt
public      GET    /contests/{edition}
public      GET    /contests/{edition}/files/public/{name:path}
public      GET    /contests/{edition}/files/{name}
person      GET    /contests/{edition}/join
person      POST   /contests/{edition}/join
public      GET    /contests/{edition}/matrix
public      GET    /contests/{edition}/news
public      GET    /contests/{edition}/register
person      POST   /contests/{edition}/register
public      GET    /contests/{edition}/rules
public      GET    /contests/{edition}/standings
team        GET    /contests/{edition}/team
captain     POST   /contests/{edition}/team/captain
team        POST   /contests/{edition}/team/choice
team        GET    /contests/{edition}/team/description
team        POST   /contests/{edition}/team/description
team        GET    /contests/{edition}/team/files/{name:path}
team        GET    /contests/{edition}/team/history
team        GET    /contests/{edition}/team/kit
team        POST   /contests/{edition}/team/kit
team        GET    /contests/{edition}/team/kit/state
team        POST   /contests/{edition}/team/leave
captain     POST   /contests/{edition}/team/links
red-captain POST   /contests/{edition}/team/links/{link}/revoke
red-captain POST   /contests/{edition}/team/members/{account}/remove
team        GET    /contests/{edition}/team/submit
team        GET    /contests/{edition}/team/uploads
team        POST   /contests/{edition}/team/uploads
red         GET    /contests/{edition}/team/uploads/{number}
red         GET    /contests/{edition}/team/uploads/{number}/receipt
public      GET    /contests/{edition}/teams
public      GET    /contests/{edition}/trust
public      GET    /healthz
local       GET    /metrics
person      GET    /organise
operator    GET    /organise/new
operator    POST   /organise/new
operator    POST   /organise/new/start
organiser   GET    /organise/{edition}
organiser   GET    /organise/{edition}/codabench.zip
organiser   GET    /organise/{edition}/draft
organiser   POST   /organise/{edition}/draft
organiser   POST   /organise/{edition}/draft/files
organiser   POST   /organise/{edition}/draft/files/remove
organiser   POST   /organise/{edition}/draft/lint
organiser   POST   /organise/{edition}/draft/preview
organiser   GET    /organise/{edition}/jobs
organiser   POST   /organise/{edition}/jobs/{number}/cancel
organiser   POST   /organise/{edition}/jobs/{number}/retry
organiser   GET    /organise/{edition}/log
organiser   GET    /organise/{edition}/news
organiser   POST   /organise/{edition}/news
organiser   POST   /organise/{edition}/news/{number}/withdraw
manager     GET    /organise/{edition}/organisers
operator    POST   /organise/{edition}/organisers
operator    POST   /organise/{edition}/organisers/{account}/remove
organiser   GET    /organise/{edition}/preview
organiser   GET    /organise/{edition}/preview/kit
organiser   GET    /organise/{edition}/preview/{name}
organiser   GET    /organise/{edition}/rejudging
organiser   POST   /organise/{edition}/rejudging
organiser   GET    /organise/{edition}/rejudging/{number}
organiser   POST   /organise/{edition}/rejudging/{number}/apply
organiser   POST   /organise/{edition}/rejudging/{number}/drop
organiser   GET    /organise/{edition}/rules
organiser   POST   /organise/{edition}/rules/amend
organiser   POST   /organise/{edition}/rules/extend
organiser   GET    /organise/{edition}/settings
organiser   POST   /organise/{edition}/settings
organiser   GET    /organise/{edition}/steps
organiser   POST   /organise/{edition}/steps/archive
organiser   POST   /organise/{edition}/steps/codabench
organiser   POST   /organise/{edition}/steps/freeze
organiser   POST   /organise/{edition}/steps/hand-over
organiser   POST   /organise/{edition}/steps/prepare
organiser   POST   /organise/{edition}/steps/reveal
organiser   POST   /organise/{edition}/steps/score
organiser   GET    /organise/{edition}/teams
organiser   POST   /organise/{edition}/teams/invitations/new
organiser   POST   /organise/{edition}/teams/invitations/{link}/revoke
organiser   GET    /organise/{edition}/teams/{team}
organiser   POST   /organise/{edition}/teams/{team}/approve
organiser   POST   /organise/{edition}/teams/{team}/competing
organiser   POST   /organise/{edition}/teams/{team}/decide
organiser   POST   /organise/{edition}/teams/{team}/limits
organiser   POST   /organise/{edition}/teams/{team}/refuse
public      GET    /readyz
public      GET    /set-password/{secret}
public      POST   /set-password/{secret}
public      GET    /sign-in
public      POST   /sign-in
public      GET    /sign-in/code
public      POST   /sign-in/code
public      POST   /sign-out
public      GET    /sign-up
public      POST   /sign-up
public      GET    /static
public      GET    /static/style.css
"""

ROUTES = {(method, path): kind for kind, method, path in map(str.split, _TABLE.splitlines())}
