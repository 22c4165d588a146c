"""Notices: what people should know, in an inbox on the site, by mail and by webhook.

``words`` turns an event into its words, ``inbox`` writes them for everybody whom they concern and
shows them, ``outbox`` keeps what is on its way, and ``mail`` and ``webhook`` send it.
"""
