"""The standing table: every generator, on several tables of people, against every attack.

``cells`` makes and judges one release, ``luck`` says what attacks reach without any leak, ``page``
writes the table, and ``__main__`` is the command.
"""
