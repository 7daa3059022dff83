/** `margay channels list|status|test|waiting|send|drop|pair|unpair`: also while another margay process works on the state directory. */
import { ERROR_CODES, type ErrorCode, RuntimeError } from "@margay/core";
import { addressText, nearest, timeText } from "@margay/core/internal";
import type { CHANNEL_OPERATIONS } from "./actions.ts";
import type { ChannelView } from "./schema.ts";
import { callerOf } from "../../host/control/call.ts";
import { isKnownChannel } from "../../config/channel-ids.ts";
import { pairedSenders } from "../../host/pairing.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { linkTo, requirePerson } from "../../host/cli/link-person.ts";
import { recordFromCommand } from "../../host/control/record-from-command.ts";

const call = callerOf<typeof CHANNEL_OPERATIONS>();

export const listChannels: Run = (cli) => {
  const paired = pairedSenders(cli.places).list();
  const { channelsById, people } = cli.loadShown().config;
  const persons = Object.values(people).flatMap(({ ids }) => ids);
  const rows = Object.entries(channelsById).map(([name, { enabled, allowFrom, operators }]) => ({
    name,
    enabled,
    known: isKnownChannel(name, channelsById),
    allowFrom,
    operators,
    persons: persons.filter((identity) => identity.startsWith(`${name}:`)),
    paired: paired.filter(({ channel }) => channel === name).map(({ sender }) => sender),
  }));
  if (cli.json) cli.terminal.out(jsonLine(rows));
  else if (rows.length === 0) cli.terminal.out(`${cli.t("channels.none")}\n`);
  else
    cli.terminal.out(
      table(
        rows.map((row) => [
          safeText(row.name),
          cli.t(row.known ? (row.enabled ? "channels.on" : "channels.off") : "channels.isUnknown"),
          row.allowFrom.includes("*")
            ? cli.t("channels.everyone")
            : cli.t("channels.senders", {
                own: row.operators.length,
                persons: row.persons.length,
                listed: row.allowFrom.length,
                paired: row.paired.length,
              }),
        ]),
      ),
    );
  return Promise.resolve(EXIT.done);
};

/** The steps of the page. The message goes at once, past the outbox: whoever tests wants to see the failure. */
export const testChannel: Run = async (cli, input) => {
  const id = input.args[0] ?? "";
  const to = textOption(input, "to");
  const { channelsById } = cli.loadShown().config;
  if (!Object.hasOwn(channelsById, id)) throw unknownChannel(cli, id, Object.keys(channelsById));
  const result = await call(cli, "channels.test", { id, language: cli.language, ...(to !== undefined && { to }) });
  if (result === undefined) throw unknownChannel(cli, id, []);
  if (cli.json) cli.terminal.out(jsonLine({ name: id, ...result }));
  else
    cli.terminal.out(
      table(
        result.steps.map(({ title, state, detail = "", remedy = "" }) => [
          title,
          cli.t(`channels.step.${state}`),
          safeText(state === "failed" ? "" : `${detail} ${remedy}`.trim()),
        ]),
      ),
    );
  if (result.ok) return EXIT.done;
  const { code = "channel.failed", detail = "", remedy = "" } = result;
  const named = (Object.keys(ERROR_CODES) as ErrorCode[]).find((one) => one === code); // its keys are the codes
  throw new RuntimeError(named ?? "channel.failed", safeText(`${detail} ${remedy}`.trim()));
};

function unknownChannel(cli: Cli, id: string, known: readonly string[]): RuntimeError {
  const near = nearest(id, known);
  const hint = near === undefined ? "" : cli.t("error.didYouMean", { name: near });
  return new RuntimeError("usage.wrong", cli.t("channels.unknown", { name: safeText(id), hint }));
}

export const showStatus: Run = async (cli) => {
  const views = await call(cli, "channels.status", { language: cli.language });
  const time = (at: number | undefined): string => (at === undefined ? "-" : timeText(at, cli.loadShown().timeZone));
  if (cli.json) cli.terminal.out(jsonLine(views));
  else if (views.length === 0) cli.terminal.out(`${cli.t("channels.none")}\n`);
  else {
    const rows = views.map(({ id, account, state, ...view }) => {
      const { since, lastFrame, lastIn, lastOut, cursorAt, outbox, deadLetters: dead = 0, ...more } = view;
      const { reconnects = 0, reactions = 0 } = more;
      return [
        safeText(account === undefined || account === id ? id : `${id} (${account})`),
        cli.t(`channels.state.${state}`),
        onceOf(view, cli),
        cli.t("channels.times", {
          ...{ since: time(since), frame: time(lastFrame) },
          ...{ in: time(lastIn), out: time(lastOut), read: time(cursorAt) },
        }),
        cli.t("channels.counts", { ...outbox, oldestAt: outbox.oldestAt ?? 0, dead, reconnects, reactions }),
      ];
    });
    cli.terminal.out(table(rows));
    for (const { id, error, limitedUntil, history, calledAt = [] } of views) {
      if (limitedUntil !== undefined)
        cli.terminal.out(`${cli.t("channels.limited", { name: safeText(id), until: time(limitedUntil) })}\n`);
      if (history !== undefined) cli.terminal.out(`${safeText(id)}: ${cli.t(`channels.history.${history}`)}\n`);
      for (const address of calledAt)
        cli.terminal.out(`${safeText(id)}: ${cli.t("channels.calledAt", { address: safeText(address) })}\n`);
      if (error !== undefined) cli.terminal.out(`${safeText(id)}: ${safeText(error)}\n`);
    }
  }
  return EXIT.done;
};

/** What becomes of a reply that was cut off. */
function onceOf({ once, onceMs, config }: Pick<ChannelView, "once" | "onceMs" | "config">, { t }: Cli): string {
  if (once === undefined) return "-";
  const isForgotten = once === "no" || onceMs !== undefined;
  if (isForgotten && config.uncertain === "ask") return t("channels.once.ask");
  return onceMs === undefined
    ? t(`channels.once.${once}`)
    : t("channels.once.while", { n: Math.floor(onceMs / 60_000) });
}

export const listWaiting: Run = async (cli) => {
  const entries = await call(cli, "channels.outbox", {});
  if (cli.json) cli.terminal.out(jsonLine(entries));
  else if (entries.length === 0) cli.terminal.out(`${cli.t("channels.nothingWaits")}\n`);
  else
    cli.terminal.out(
      table(
        entries.map(({ reply, state, to, at, text }) => [
          safeText(reply),
          cli.t(`channels.reply.${state}`),
          safeText(addressText(to)),
          timeText(at, cli.loadShown().timeZone),
          safeText(text.split("\n")[0] ?? "").slice(0, 60),
        ]),
      ),
    );
  return EXIT.done;
};

export const sendWaiting: Run = async (cli, input) => {
  const reply = input.args[0] ?? "";
  const { sent } = await call(cli, "channels.send", { reply });
  const text = cli.t(sent ? "channels.replySent" : "channels.replyWaits", { reply: safeText(reply) });
  cli.terminal.out(cli.json ? jsonLine({ reply, sent }) : `${text}\n`);
  return EXIT.done;
};

export const dropWaiting: Run = async (cli, input) => {
  const reply = input.args[0] ?? "";
  await call(cli, "channels.drop", { reply });
  cli.terminal.out(cli.json ? jsonLine({ reply }) : `${cli.t("channels.replyDropped", { reply: safeText(reply) })}\n`);
  return EXIT.done;
};

export const pairSender: Run = async (cli, input) => {
  const person = textOption(input, "person");
  const role = input.options["operator"] === true ? "operator" : "paired";
  if (person !== undefined && role === "operator") throw new RuntimeError("usage.wrong", cli.t("channels.whoseCode"));
  // Before the code is used up: a name that nobody has is a typing error.
  if (person !== undefined) requirePerson(cli, person);
  const senders = pairedSenders(cli.places);
  const paired = await senders.accept(input.args[0] ?? "", role);
  if (paired === undefined) {
    await recordFromCommand(cli, "pairing.refused", { by: "user" });
    throw new RuntimeError("usage.wrong", cli.t("channels.badCode"));
  }
  await recordFromCommand(cli, "pairing.approved", { ...paired, role, by: "user" });
  if (person !== undefined) {
    // A guest until it is linked, wherever this is cut off; then the code has no part in it any more.
    await linkTo(cli, person, paired);
    await senders.remove(paired.channel, paired.sender);
  }
  say(cli, paired, "channels.paired");
  return EXIT.done;
};

export const unpairSender: Run = async (cli, input) => {
  const [channel = "", sender = ""] = input.args;
  if (!(await pairedSenders(cli.places).remove(channel, sender)))
    throw new RuntimeError(
      "usage.wrong",
      cli.t("channels.notPaired", { channel: safeText(channel), sender: safeText(sender) }),
    );
  await recordFromCommand(cli, "pairing.removed", { channel, sender, by: "user" });
  say(cli, { channel, sender }, "channels.unpaired");
  return EXIT.done;
};

function say(
  cli: Cli,
  { channel, sender }: { readonly channel: string; readonly sender: string },
  text: "channels.paired" | "channels.unpaired",
): void {
  cli.terminal.out(
    cli.json
      ? jsonLine({ channel, sender })
      : `${cli.t(text, { channel: safeText(channel), sender: safeText(sender) })}\n`,
  );
}
