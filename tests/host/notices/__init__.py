"""Tests of what people are told: notices, mails, webhooks, feeds, calendars, questions."""
