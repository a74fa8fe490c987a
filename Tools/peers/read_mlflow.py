# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Prints the runs of an experiment in an MLflow server as JSON: read_mlflow.py ADDRESS EXPERIMENT"""

import json
import sys

from mlflow.tracking import MlflowClient


def main() -> None:
    address, name = sys.argv[1:]
    client = MlflowClient(address)
    experiment = client.get_experiment_by_name(name)
    if experiment is None:
        sys.exit(f"The server has no experiment {name!r}.")
    runs = []
    for run in client.search_runs([experiment.experiment_id]):
        histories = {key: client.get_metric_history(run.info.run_id, key) for key in run.data.metrics}
        runs.append({
            "name": run.info.run_name, "status": run.info.status, "parameters": run.data.params,
            "metrics": {key: [metric.value for metric in history] for key, history in histories.items()},
            "steps": {key: [metric.step for metric in history] for key, history in histories.items()},
        })
    json.dump(runs, sys.stdout)


if __name__ == "__main__":
    main()
