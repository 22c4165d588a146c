"""Contests that people play in a browser, on the pages of a site that really runs.

::

    def test_play(new_stage):
        stage = new_stage()                  # a site on a free port, with its worker
        ada = stage.person("Ada")            # a window of the browser, with its own cookies
        ada.go("/")
        ada.click("Sign in")
        stage.clock.set(...)                 # the next phase
        ada.awaits("accepted")               # what workers do appears sooner or later
"""
