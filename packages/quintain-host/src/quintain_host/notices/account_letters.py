"""Letters about accounts and invitations, which somebody asked for; not notices of a contest."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from quintain.figures.format import printable
from quintain.wording.languages import say, speaking, to_say
from quintain_host.database.people import Account
from quintain_host.languages.catalogue import DEFAULT
from quintain_host.languages.nouns import count
from quintain_host.notices.outbox import LinkToMake, send_letter
from quintain_host.notices.words import ACCOUNT
from quintain_host.site import Site

_NOT_YOU = to_say("If that was not you, you need not do anything.")


def send_address_check(session: Session, site: Site, account: int) -> None:
    """Ask the owner of an address whether it is theirs."""
    with speaking(_language(session, account)):
        title = site.settings.title
        send_letter(
            session,
            site,
            say("Is this your address? – %(site)s", site=title),
            [
                say("Somebody made an account at %(site)s with this address.", site=title),
                say(
                    "If that was you, open this link to show that the address is right. Until then "
                    "the site sends no notices to it."
                ),
                LinkToMake("address", "/check-address/{}", account=account),
                say(_NOT_YOU),
            ],
            kind=ACCOUNT,
            account=account,
        )


def _language(session: Session, account: int | None) -> str:
    """The language in which the site writes to a person."""
    # Nobody is looked for as well, so that it takes the same time.
    known = select(Account.language).where(Account.id == (account or 0))
    return session.scalar(known) or DEFAULT


def send_sign_up_again(session: Session, site: Site, account: int) -> None:
    """Tell the owner of an account that somebody tried to make another one with its address."""
    with speaking(_language(session, account)):
        title = site.settings.title
        send_letter(
            session,
            site,
            say("You have an account already – %(site)s", site=title),
            [
                say(
                    "Somebody tried to make an account at %(site)s with this address, which has "
                    "one. Your account and your password are unchanged.",
                    site=title,
                ),
                say(
                    "If that was you and you have forgotten your password, ask for a new one here:"
                ),
                f"{site.settings.url}/forgot-password",
                say(_NOT_YOU),
            ],
            kind=ACCOUNT,
            account=account,
        )


def send_reset(session: Session, site: Site, account: int | None) -> None:
    """Send a link for a new password; the caller takes the letter of nobody back."""
    hours = 0.0 if site.settings.mail is None else site.settings.mail.reset_hours
    with speaking(_language(session, account)):
        title = site.settings.title
        send_letter(
            session,
            site,
            say("A new password – %(site)s", site=title),
            [
                say("Somebody wants a new password for your account at %(site)s.", site=title),
                say(
                    "If that was you, set one with this link. It is valid for %(hours)s hours and "
                    "can be used once. All your sessions and tokens end.",
                    hours=f"{hours:g}",
                ),
                LinkToMake("password", "/set-password/{}", account=account, hours=hours),
                say("If that was not you, you need not do anything. Your password is unchanged."),
            ],
            kind=ACCOUNT,
            account=account,
        )


def send_invitation(
    session: Session,
    site: Site,
    address: str,
    *,
    inviter: int,
    sender: str,
    contest: str,
    edition: str,
    team: str | None = None,
    team_name: str = "",
) -> None:
    """Invite somebody to a contest, or to a team of it.

    Parameters
    ----------
    inviter, sender : the account of the person who invites, and their name.
    contest, edition : the title and the id of the contest.
    team, team_name : the team to join; without one, the reader registers a team.
    """
    contest, sender = printable(contest), printable(sender)
    values = {"sender": sender, "contest": contest, "site": site.settings.title}
    page, purpose, subject = "register", "edition", contest
    invited = say("%(sender)s invites you to the contest %(contest)s at %(site)s.", **values)
    if team is not None:
        page, purpose, subject = "join", "team", printable(team_name)
        invited = say(
            "%(sender)s invites you to team %(team)s in the contest %(contest)s at %(site)s.",
            team=subject,
            **values,
        )
    path = f"/contests/{edition}/{page}?link={{}}"
    link = LinkToMake(purpose, path, account=inviter, edition=edition, team=team)
    paragraphs: list[str | LinkToMake] = [
        invited,
        say(
            "Open this link to accept. It is for you alone, can be used once, and is valid for "
            "%(days)s.",
            days=count(site.settings.link_days, "day"),
        ),
        link,
    ]
    if site.settings.accounts != "open":
        paragraphs += [
            say("You need an account for that. If you have none, make one here first:"),
            LinkToMake("account", "/sign-up?link={}"),
        ]
    send_letter(
        session,
        site,
        say("%(sender)s invites you to %(subject)s", sender=sender, subject=subject),
        [
            *paragraphs,
            say("If you do not know what this is about, you need not do anything."),
        ],
        kind=INVITATION,
        address=address,
        edition=edition,
        team=team,
    )


INVITATION = "invitation"
"""The kind of letters that invite people."""
