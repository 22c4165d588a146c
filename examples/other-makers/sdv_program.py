"""A synthesizer of SDV (1 or 2) that is loaded once and makes one release per request.

    quintain audit sanitizer 'sdv/bin/python sdv_program.py {requests}' --data people.csv \
        --set synthesizer=GaussianCopulaSynthesizer

``sdv/bin/python`` is the Python of an environment with SDV and pyarrow; quintain need not be in
it. ``synthesizer`` names a class of ``sdv.single_table``; all other parameters go to its
constructor, such as ``--set epochs=50`` for CTGANSynthesizer. The lines that go in and out are
described in docs/reference/files.md, "Requests to a standing command".
"""

import json
import os
import random
import sys
from pathlib import Path

# Libraries print to the standard output. Answers go to a copy of it, everything else to the
# standard error.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import numpy as np  # noqa: E402 - nothing may print before
import pandas as pd  # noqa: E402
import sdv  # noqa: E402
import torch  # noqa: E402
from sdv import single_table  # noqa: E402
from sdv.metadata import Metadata  # noqa: E402

SDTYPES = {"category": "categorical", "integer": "numerical", "real": "numerical"}


def describe(schema):
    """The metadata of SDV, from the schema and not from the private records."""
    columns = {}
    for column in schema["columns"]:
        columns[column["name"]] = {"sdtype": SDTYPES.get(column["kind"], "categorical")}
        if column["kind"] == "time":
            columns[column["name"]] = {"sdtype": "datetime"}
    tables = {"table": {"columns": columns}}
    return Metadata.load_from_dict(
        {"tables": tables, "relationships": [], "METADATA_SPEC_VERSION": "V1"}
    )


def release(request):
    """Fit a new synthesizer to the input, and write as many records as it has to the output."""
    options = dict(request["parameters"])
    name = options.pop("synthesizer", "GaussianCopulaSynthesizer")
    metadata = describe(json.loads(Path(request["schema"]).read_text()))
    seed = request["seed"]
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - SDV draws from it
    torch.manual_seed(seed)
    private = pd.read_parquet(request["input"])
    model = getattr(single_table, name)(metadata, **options)
    by_name = int(sdv.__version__.split(".")[0]) >= 2
    model.fit({"table": private} if by_name else private)
    model._set_random_state(seed)  # SDV samples from one fixed seed otherwise
    made = model.sample(num_rows=len(private))
    (made["table"] if by_name else made).to_parquet(request["output"])


for line in sys.stdin:
    try:
        release(json.loads(line))
        answer = {"ok": True}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
