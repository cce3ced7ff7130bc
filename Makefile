# The few commands that a newcomer types; everything else is `cargo xtask`.

.PHONY: lab test bench

# Compares how this host's ifTable is fetched, our agent and Net-SNMP's.
# ARGS goes to the laboratory: make lab ARGS=--quick
lab:
	cargo xtask setup
	@echo "Building the programs for release: the first time this takes about 10 minutes on two cores, later builds less."
	cargo build --release --bins -p trunkline -p trunkline-lab -p trunklined
	target/release/trunkline lab $(ARGS)
	@# On a desktop the report opens; elsewhere its path was printed.
	@if [ -z "$(ARGS)" ] && [ -t 1 ] && [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] && command -v xdg-open >/dev/null; then \
		xdg-open lab-report/iftable/index.html; fi

# Everything that CI checks.
test:
	cargo xtask test $(ARGS)

# The agent's speed compared with an echo server and Net-SNMP's agent.
bench:
	cargo xtask bench agent $(ARGS)
