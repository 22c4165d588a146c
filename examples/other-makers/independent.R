# A sanitizer in R, for the command adapter: every column is drawn on its own.
#
#     quintain audit sanitizer 'Rscript independent.R {input} {output}' \
#         --data people.csv --set format=csv
#
# It reads one CSV file and writes another with as many records. The seed of a run is in the
# environment variable QUINTAIN_SEED. It needs no package. To audit a synthesizer of R, such as
# synthpop, replace the two lines in the middle by synthpop::syn(private, seed = seed)$syn.

places <- commandArgs(trailingOnly = TRUE)
seed <- as.numeric(Sys.getenv("QUINTAIN_SEED", "1")) %% .Machine$integer.max
set.seed(seed)

private <- read.csv(places[1], check.names = FALSE, colClasses = "character", na.strings = "")

rows <- nrow(private)
released <- as.data.frame(lapply(private, sample, size = rows, replace = TRUE), optional = TRUE)

names(released) <- names(private)
write.csv(released, places[2], row.names = FALSE, na = "")
