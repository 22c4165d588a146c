"""Follow the page about installing a site, in a Debian machine that is made for it."""
