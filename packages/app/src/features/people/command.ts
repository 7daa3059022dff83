/** `margay people list|link|unlink|explain`: also while another margay process works on the state directory. */
import { RuntimeError } from "@margay/core";
import { CHANNEL_IDS, isKnownChannel } from "../../config/channel-ids.ts";
import { readConfigFile, type ConfigFile } from "../../config/load.ts";
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

/** One sender of one channel. */
interface Identity {
  readonly channel: string;
  readonly sender: string;
}

export const listPeople: Run = (cli) => {
  const people = peopleFor(cli);
  const rows = identities(cli).flatMap(({ channel, sender }) => {
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

export const linkIdentity: Run = async (cli, input) => {
  const identity = identityOf(cli, ofOwner(cli, input));
  const seen = readConfigFile(cli.places.config, cli.t);
  const operators = operatorsIn(seen, identity);
  const isNew = !operators.includes(identity.sender);
  if (isNew) await change(cli, identity, { seen, operators: [...operators, identity.sender], event: "person.linked" });
  return said(cli, identity, isNew ? "people.linked" : "people.already");
};

export const unlinkIdentity: Run = async (cli, input) => {
  const identity = identityOf(cli, ofOwner(cli, input));
  const seen = readConfigFile(cli.places.config, cli.t);
  const operators = operatorsIn(seen, identity);
  const who = safeText(`${identity.channel}:${identity.sender}`);
  if (!operators.includes(identity.sender))
    throw new RuntimeError("usage.wrong", cli.t("people.notLinked", { who, channel: identity.channel }));
  const left = operators.filter((id) => id !== identity.sender);
  await change(cli, identity, { seen, operators: left, event: "person.unlinked" });
  return said(cli, identity, "people.unlinked");
};

export const explainPerson: Run = (cli, input) => {
  const { channel, sender } = identityOf(cli, input.args[0]);
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
function identities(cli: Cli): readonly Identity[] {
  const configured = Object.entries(cli.loadShown().config.channelsById).flatMap(
    ([channel, { operators, allowFrom }]) => [...operators, ...allowFrom].map((sender) => ({ channel, sender })),
  );
  const all = [...configured, ...pairedSenders(cli.places).list()].filter(({ sender }) => sender !== "*");
  return [...new Map(all.map(({ channel, sender }) => [`${channel}:${sender}`, { channel, sender }])).values()];
}

/** @returns the identity that is named. @throws RuntimeError `usage.wrong`: another person than the owner. */
function ofOwner(cli: Cli, { args: [person = "", identity] }: Input): string | undefined {
  if (person === OWNER) return identity;
  throw new RuntimeError("usage.wrong", cli.t("people.unknown", { name: safeText(person) }));
}

/** @throws RuntimeError `usage.wrong`: no channel of that name, no id. */
function identityOf(cli: Cli, text = ""): Identity {
  const [, channel = "", sender = ""] = /^([a-z0-9_-]+):(.+)$/i.exec(text) ?? [];
  if (!isKnownChannel(channel))
    throw new RuntimeError("usage.wrong", cli.t("people.identity", { channels: CHANNEL_IDS.join(", ") }));
  return { channel, sender };
}

function operatorsIn({ raw }: ConfigFile, { channel }: Identity): readonly string[] {
  const value = valueAt(raw, ["channels", channel, "operators"]);
  return Array.isArray(value) ? value.map(String) : [];
}

interface Edit {
  /** Saved only over this: another process may link somebody at the same time. */
  readonly seen: ConfigFile;
  readonly operators: readonly string[];
  readonly event: "person.linked" | "person.unlinked";
}

/** @throws RuntimeError `config.invalid`: a name that can change hands, or everybody; `config.changed`. */
async function change(cli: Cli, { channel, sender }: Identity, { seen, operators, event }: Edit): Promise<void> {
  const { places, environment, t } = cli;
  saveChanges([{ path: `channels.${channel}.operators`, value: [...operators], secrets: [] }], {
    path: places.config,
    env: environment.env,
    t,
    seen,
  });
  await recordFromCommand(cli, event, { channel, sender, by: "user" });
}

function said(
  cli: Cli,
  { channel, sender }: Identity,
  text: "people.linked" | "people.already" | "people.unlinked",
): number {
  const who = safeText(`${channel}:${sender}`);
  cli.terminal.out(cli.json ? jsonLine({ channel, sender }) : `${cli.t(text, { who })}\n`);
  return EXIT.done;
}
