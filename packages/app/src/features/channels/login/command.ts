/** `margay channels login`: in the gateway when one runs, else in this process. */
import { RuntimeError } from "@margay/core";
import { timeText } from "@margay/core/internal";
import { EXIT, textOption, type Cli, type Run } from "../../../host/cli/command.ts";
import { jsonLine, safeText } from "../../../host/cli/output.ts";
import { askForEvents } from "../../../host/control/events.ts";
import { atHolder } from "../../../host/control/holder.ts";
import type { LoginEvent } from "../schema.ts";

export const loginChannel: Run = async (cli, input) => {
  const id = input.args[0] ?? "";
  const kind = textOption(input, "kind");
  const body = { ...(kind !== undefined && { kind }) };
  const { signal, language } = cli;
  const path = `/channels/${encodeURIComponent(id)}/login`;
  const told = await atHolder(cli, (socket, patience) =>
    askForEvents(socket, { path, body, language, signal }, patience),
  );
  const events = told === undefined ? (await import("./alone.ts")).loginAlone(cli, id, body) : stepsIn(told);
  for await (const event of events) {
    await show(event, id, cli);
    if (event.type === "failed") throw new RuntimeError("channel.failed", event.text);
    if (event.type === "done") return EXIT.done;
  }
  signal.throwIfAborted();
  throw new RuntimeError("channel.failed", cli.t("channels.login.over", { name: safeText(id) }));
};

async function* stepsIn(told: Awaited<ReturnType<typeof askForEvents>>): AsyncGenerator<LoginEvent> {
  for await (const { event, data } of told) if (event === "step") yield data as LoginEvent; // of `loginChannel`
}

async function show(event: LoginEvent, id: string, cli: Cli): Promise<void> {
  const { terminal, t } = cli;
  const name = safeText(id);
  if (cli.json && event.type !== "failed") {
    const { path: _path, size: _size, ...step } = { path: "", size: 0, ...event };
    terminal.out(jsonLine(step));
    return;
  }
  switch (event.type) {
    case "qr": {
      const { qrText } = await import("../../../host/api/qr.ts");
      const { text, columns } = await qrText(event.data, terminal);
      if (columns <= terminal.columns) terminal.out(`${text}\n`);
      if (/^https?:/.test(event.data)) terminal.out(`${safeText(event.data)}\n\n`);
      terminal.out(`${t("channels.login.scan", { until: timeOf(event.expiresAt, cli) })}\n`);
      break;
    }
    case "code":
      terminal.out(`${safeText([event.code, event.url].filter((part) => part !== undefined).join("  "))}\n\n`);
      terminal.out(`${t("channels.login.enter", { until: timeOf(event.expiresAt, cli) })}\n`);
      break;
    case "scanned":
      terminal.out(`${t("channels.login.scanned")}\n`);
      break;
    case "done":
      terminal.out(`${t("channels.login.done", { name, account: safeText(event.account) })}\n`);
      break;
    case "failed": // thrown, as every error of a command
  }
}

function timeOf(at: number, cli: Cli): string {
  return timeText(at, cli.loadShown().timeZone);
}
