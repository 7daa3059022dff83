/** The link that logs a browser in: where it leads, and opening it. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, replaceFile } from "@margay/core/internal";
import type { Cli } from "./command.ts";

/** Where a person finds the page: the public address when there is one. */
export function pageOf(cli: Cli, url: string): string {
  return cli.loadShown().config.gateway.publicUrl ?? url;
}

/** Opens `$2` with `$1`, and removes it when that fails, or in a minute: the browser may still start when this process has ended. */
const OPEN = '("$1" "$2" || rm -f "$2") & sleep 60; rm -f "$2"';

/** Opens the desktop's browser, if there is one. The link is in a file only its owner can read, not in the list of processes. */
export function showLink({ environment, terminal, places }: Cli, link: string): void {
  const { env } = environment;
  const command =
    process.platform === "darwin"
      ? "open"
      : process.platform === "linux" && (hasText(env["DISPLAY"]) || hasText(env["WAYLAND_DISPLAY"]))
        ? "xdg-open"
        : undefined;
  if (command === undefined || !terminal.outputIsTerminal) return;
  const directory = hasText(env["XDG_RUNTIME_DIR"]) ? env["XDG_RUNTIME_DIR"] : places.control;
  makeDirectory(directory);
  const file = join(directory, `margay-${process.pid}.html`);
  replaceFile(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${link}">\n`);
  const child = spawn("sh", ["-c", OPEN, "sh", command, file], { stdio: "ignore", detached: true });
  child.once("error", () => rmSync(file, { force: true })); // no shell here: the link was printed
  child.unref();
}

function hasText(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
