"""Pictures of the main pages, compared with kept ones; ``make pictures`` renews those."""
