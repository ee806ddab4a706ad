"""What carries sealed bytes between devices. `hub` lives in memory, `folder` in a shared folder; both obey `sync.ports`."""
