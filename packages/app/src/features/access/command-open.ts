/** `margay open`: a login link for the running gateway, or a code that proves to it who sits here. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject } from "@margay/core";
import { makeDirectory, replaceFile } from "@margay/core/internal";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { requireGateway } from "../../host/control/client.ts";
import { jsonLine } from "../../host/cli/output.ts";

export const openLink: Run = async (cli, input) => {
  const gateway = requireGateway(cli);
  const wantsCode = input.options["code"] === true;
  const minted = (await gateway.request("POST", "/auth/codes", {
    kind: wantsCode ? "confirm" : "login",
  })) as JsonObject;
  const code = String(minted["code"]);
  if (wantsCode) {
    const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
    cli.terminal.out(
      cli.json
        ? jsonLine({ code: shown, expiresAt: minted["expiresAt"] })
        : `${cli.t("gateway.code", { code: shown })}\n`,
    );
    return EXIT.done;
  }
  const link = `${pageOf(cli, gateway.url)}/#login=${code}`;
  cli.terminal.out(
    cli.json ? jsonLine({ link, expiresAt: minted["expiresAt"] }) : `${cli.t("gateway.link", { link })}\n`,
  );
  if (input.options["open"] !== false && !cli.json) showLink(cli, link);
  return EXIT.done;
};

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
