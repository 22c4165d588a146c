"""Sign-on: people sign in by a provider of OpenID Connect beside passwords.

A person is the issuer and the subject together, and nothing else: an e-mail address alone never
opens an account. The owner of an account links it while signed in, or a new account is made.
"""
