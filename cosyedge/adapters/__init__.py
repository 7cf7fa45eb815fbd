"""Adapters: one outside thing each; they satisfy cosyedge.service.ports structurally."""
