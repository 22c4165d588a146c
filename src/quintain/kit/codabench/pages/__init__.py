"""What people read about a contest on CodaBench: its pages, READMEs and a note for organisers."""
