"""Letters about accounts and invitations, which somebody asked for; not notices of a contest."""

from __future__ import annotations

from sqlalchemy.orm import Session

from quintain.figures.format import printable
from quintain.host.notices.outbox import LinkToMake, send_letter
from quintain.host.notices.words import ACCOUNT
from quintain.host.site import Site

_NOT_YOU = "If that was not you, you need not do anything."


def send_address_check(session: Session, site: Site, account: int) -> None:
    """Ask the owner of an address whether it is theirs."""
    send_letter(
        session,
        site,
        f"Is this your address? – {site.settings.title}",
        [
            f"Somebody made an account at {site.settings.title} with this address.",
            "If that was you, open this link to show that the address is right. Until then the "
            "site sends no notices to it.",
            LinkToMake("address", "/check-address/{}", account=account),
            _NOT_YOU,
        ],
        kind=ACCOUNT,
        account=account,
    )


def send_sign_up_again(session: Session, site: Site, account: int) -> None:
    """Tell the owner of an account that somebody tried to make another one with its address."""
    send_letter(
        session,
        site,
        f"You have an account already – {site.settings.title}",
        [
            f"Somebody tried to make an account at {site.settings.title} with this address, which "
            "has one. Your account and your password are unchanged.",
            "If that was you and you have forgotten your password, ask for a new one here:",
            f"{site.settings.url}/forgot-password",
            _NOT_YOU,
        ],
        kind=ACCOUNT,
        account=account,
    )


def send_reset(session: Session, site: Site, account: int | None) -> None:
    """Send a link for a new password; the caller takes the letter of nobody back."""
    hours = 0.0 if site.settings.mail is None else site.settings.mail.reset_hours
    send_letter(
        session,
        site,
        f"A new password – {site.settings.title}",
        [
            f"Somebody wants a new password for your account at {site.settings.title}.",
            f"If that was you, set one with this link. It is valid for {hours:g} hours and can be "
            "used once. All your sessions and tokens end.",
            LinkToMake("password", "/set-password/{}", account=account, hours=hours),
            f"{_NOT_YOU} Your password is unchanged.",
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
    what, page, purpose = f"to the contest {contest}", "register", "edition"
    if team is not None:
        what, page, purpose = f"to team {printable(team_name)} in {what[3:]}", "join", "team"
    path = f"/contests/{edition}/{page}?link={{}}"
    link = LinkToMake(purpose, path, account=inviter, edition=edition, team=team)
    paragraphs: list[str | LinkToMake] = [
        f"{sender} invites you {what} at {site.settings.title}.",
        "Open this link to accept. It is for you alone and can be used once.",
        link,
    ]
    if site.settings.accounts != "open":
        paragraphs += [
            "You need an account for that. If you have none, make one here first:",
            LinkToMake("account", "/sign-up?link={}"),
        ]
    send_letter(
        session,
        site,
        f"{sender} invites you to {printable(team_name) if team else contest}",
        [*paragraphs, "If you do not know what this is about, you need not do anything."],
        kind=INVITATION,
        address=address,
        edition=edition,
        team=team,
    )


INVITATION = "invitation"
"""The kind of letters that invite people."""
