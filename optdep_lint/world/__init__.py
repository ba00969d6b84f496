"""The world room: a project in which something is absent. Truth values, importing, calling, and what breaks."""
