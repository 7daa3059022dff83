/** `margay people list|link|unlink|explain`: also while another margay process works on the state directory. */
import { RuntimeError } from "@margay/core";
import { CHANNEL_IDS, isKnownChannel } from "../../config/channel-ids.ts";
import { readConfigFile } from "../../config/load.ts";
import { saveChanges } from "../../config/save.ts";
import { valueAt } from "../../config/value-at.ts";
import { EXIT, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { recordFromCommand } from "../../host/control/record-from-command.ts";
import { pairedSenders } from "../../host/pairing.ts";
import { type People, peopleOf } from "../../host/people.ts";
import { becauseText, explained } from "./explained.ts";

/** The person who is there without any configuration. */
const OWNER = "owner";

interface Account {
  readonly channel: string;
  readonly sender: string;
}

export const listPeople: Run = (cli) => {
  const people = peopleFor(cli);
  const rows = accounts(cli).flatMap(({ channel, sender }) => {
    const speaker = people.speaker(channel, sender);
    return speaker === undefined ? [] : [{ channel, sender, ...speaker }];
  });
  if (cli.json) cli.terminal.out(jsonLine(rows));
  else if (rows.length === 0) cli.terminal.out(`${cli.t("people.none")}\n`);
  else
    cli.terminal.out(
      table(
        rows.map((row) => [
          safeText(`${row.channel}:${row.sender}`),
          cli.t(`people.role.${row.role}`),
          becauseText(row, safeText(row.channel), cli.t),
        ]),
      ),
    );
  return Promise.resolve(EXIT.done);
};

export const linkAccount: Run = async (cli, input) => {
  const account = accountOf(cli, ofOwner(cli, input));
  const operators = operatorsOf(cli, account);
  const isNew = !operators.includes(account.sender);
  if (isNew) await change(cli, account, [...operators, account.sender], "person.linked");
  return said(cli, account, isNew ? "people.linked" : "people.already");
};

export const unlinkAccount: Run = async (cli, input) => {
  const account = accountOf(cli, ofOwner(cli, input));
  const operators = operatorsOf(cli, account);
  const who = safeText(`${account.channel}:${account.sender}`);
  if (!operators.includes(account.sender))
    throw new RuntimeError("usage.wrong", cli.t("people.notLinked", { who, channel: account.channel }));
  const left = operators.filter((id) => id !== account.sender);
  await change(cli, account, left, "person.unlinked");
  return said(cli, account, "people.unlinked");
};

export const explainPerson: Run = (cli, input) => {
  const { channel, sender } = accountOf(cli, input.args[0]);
  const people = peopleFor(cli);
  const speaker = people.speaker(channel, sender);
  cli.terminal.out(
    cli.json
      ? jsonLine({ channel, sender, role: speaker?.role ?? "stranger", ...(speaker && { because: speaker.because }) })
      : `${explained(people, channel, sender, cli.t)}\n`,
  );
  return Promise.resolve(EXIT.done);
};

function peopleFor(cli: Cli): People {
  const { channelsById } = cli.loadShown().config;
  return peopleOf({ channels: () => channelsById, pairing: pairedSenders(cli.places) });
}

/** Everybody whom the configuration or a code names, each once. */
function accounts(cli: Cli): readonly Account[] {
  const configured = Object.entries(cli.loadShown().config.channelsById).flatMap(
    ([channel, { operators, allowFrom }]) => [...operators, ...allowFrom].map((sender) => ({ channel, sender })),
  );
  const all = [...configured, ...pairedSenders(cli.places).list()].filter(({ sender }) => sender !== "*");
  return [...new Map(all.map(({ channel, sender }) => [`${channel}:${sender}`, { channel, sender }])).values()];
}

/** @returns the account that is named. @throws RuntimeError `usage.wrong`: another person than the owner. */
function ofOwner(cli: Cli, { args: [person = "", account] }: Input): string | undefined {
  if (person === OWNER) return account;
  throw new RuntimeError("usage.wrong", cli.t("people.unknown", { name: safeText(person) }));
}

/** @throws RuntimeError `usage.wrong`: no channel of that name, no id, a name that can change hands. */
function accountOf(cli: Cli, text = ""): Account {
  const [, channel = "", sender = ""] = /^([a-z0-9_-]+):(.+)$/i.exec(text) ?? [];
  if (!isKnownChannel(channel) || sender.startsWith("@") || sender === "*")
    throw new RuntimeError("usage.wrong", cli.t("people.identity", { channels: CHANNEL_IDS.join(", ") }));
  return { channel, sender };
}

function operatorsOf(cli: Cli, { channel }: Account): readonly string[] {
  const value = valueAt(readConfigFile(cli.places.config, cli.t).raw, ["channels", channel, "operators"]);
  return Array.isArray(value) ? value.map(String) : [];
}

async function change(
  cli: Cli,
  { channel, sender }: Account,
  operators: readonly string[],
  event: "person.linked" | "person.unlinked",
): Promise<void> {
  const { places, environment, t } = cli;
  saveChanges([{ path: `channels.${channel}.operators`, value: [...operators], secrets: [] }], {
    path: places.config,
    env: environment.env,
    t,
  });
  await recordFromCommand(cli, event, { channel, sender, by: "user" });
}

function said(
  cli: Cli,
  { channel, sender }: Account,
  text: "people.linked" | "people.already" | "people.unlinked",
): number {
  const who = safeText(`${channel}:${sender}`);
  cli.terminal.out(cli.json ? jsonLine({ channel, sender }) : `${cli.t(text, { who })}\n`);
  return EXIT.done;
}
