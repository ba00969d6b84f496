"""One file for each way to repair, found by looking at this folder; each holds a `REPAIR`."""
