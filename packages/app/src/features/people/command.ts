/** `margay people list|explain`: also while another margay process works on the state directory. */
import { RuntimeError } from "@margay/core";
import { bindingOf, gate, type Gate, groupOf } from "@margay/core/internal";
import { isKnownChannel, ourKinds } from "../../config/channel-ids.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { bindingsOf } from "../../host/agents.ts";
import { isAdmittedIn, openGroups } from "../../host/groups.ts";
import { pairedSenders } from "../../host/pairing.ts";
import {
  audienceOf,
  identitiesOf,
  type Identity,
  OWNER,
  type People,
  peopleOf,
  type Speaker,
} from "../../host/people.ts";
import { effectiveModel } from "../../models/choose-model.ts";
import { becauseText, explained } from "./explained.ts";

export const listPeople: Run = (cli) => {
  const people = peopleFor(cli);
  const { config } = cli.loadShown();
  const known = identitiesOf(config, pairedSenders(cli.places).list()).flatMap(({ channel, sender }) => {
    const speaker = people.speaker(channel, sender);
    return speaker === undefined ? [] : [{ channel, sender, ...speaker }];
  });
  const silent = Object.entries(config.people)
    .filter(([person, { ids }]) => person !== "owner" && ids.length === 0)
    .map(([person, { role }]) => ({ person, role }));
  if (cli.json) cli.terminal.out(jsonLine([...known, ...silent]));
  else if (known.length + silent.length === 0) cli.terminal.out(`${cli.t("people.none")}\n`);
  else
    cli.terminal.out(
      table([
        ...known.map(({ person = "", role, ...row }) => [
          safeText(`${row.channel}:${row.sender}`),
          safeText(person),
          cli.t(`people.role.${role}`),
          becauseText({ person, role, ...row }, safeText(row.channel), cli.t),
        ]),
        ...silent.map(({ person, role }) => [
          cli.t("people.noIdentity"),
          safeText(person),
          cli.t(`people.role.${role}`),
          `\`people.${person}\``,
        ]),
      ]),
    );
  return Promise.resolve(EXIT.done);
};

export const explainPerson: Run = (cli, input) => {
  const { channel, sender } = identityOf(cli, input.args[0]);
  const people = peopleFor(cli);
  const speaker = people.speaker(channel, sender);
  const chat = textOption(input, "group");
  const group = chat === undefined ? undefined : inGroup(cli, { channel, chat, sender }, speaker, input);
  const agent = speaker === undefined ? undefined : agentFor(cli, { channel, chat, sender }, speaker);
  const more = { ...(group !== undefined && { group: group.gate }), ...(agent !== undefined && { agent }) };
  const texts = [
    explained(people, channel, sender, cli.t),
    ...(group === undefined ? [] : [group.text]),
    ...(agent === undefined ? [] : [cli.t("people.agent", agent)]),
  ];
  cli.terminal.out(
    cli.json ? jsonLine({ channel, sender, role: "stranger", ...speaker, ...more }) : `${texts.join("\n")}\n`,
  );
  return Promise.resolve(EXIT.done);
};

/** What answers them there, in the words of the rule. Undefined: there are no agents. */
function agentFor(
  cli: Cli,
  { channel, chat, sender }: Identity & { readonly chat: string | undefined },
  speaker: Speaker,
): { readonly agent: string; readonly rule: string; readonly model: string } | undefined {
  const { config } = cli.loadShown();
  if (Object.keys(config.agents).length === 0) return undefined;
  const { person } = speaker;
  const audience = chat === undefined ? (audienceOf(speaker) ?? OWNER) : groupOf({ channel, chat });
  const origin = { channel, chat: chat ?? sender };
  const found = bindingOf({ origin, audience, ...(person !== undefined && { person }) }, bindingsOf(config));
  const model = config.agents[found.agent]?.model ?? effectiveModel(config) ?? "-";
  return { ...found, model };
}

const NAMED = { addressed: "named" } as const;

/** What becomes of a word in a group, by the function that decides it. */
function inGroup(
  cli: Cli,
  { channel, chat, sender }: Identity & { readonly chat: string },
  speaker: Speaker | undefined,
  input: Parameters<Run>[1],
): { readonly gate: Gate; readonly text: string } {
  const { config } = cli.loadShown();
  const origin = { channel, chat };
  const manners = openGroups({ config: () => config, places: cli.places }).manners(origin);
  const isAdmitted = speaker !== undefined || isAdmittedIn(config, origin, sender);
  const isNamed = input.options["addressed"] === true;
  const from = { id: sender, kind: "person" } as const;
  const message = { key: "", origin, from, parts: [], chat: "group", ...(isNamed && NAMED) } as const;
  const decided = gate(message, { manners, role: speaker?.role ?? "guest", isAdmitted, now: 0, bots: 0 });
  const who = safeText(`${channel}:${chat}`);
  const why = isAdmitted || decided === "drop" ? decided : "stranger";
  return { gate: decided, text: cli.t(`people.group.${why}`, { who, mode: manners?.mode ?? "off" }) };
}

function peopleFor(cli: Cli): People {
  const { config } = cli.loadShown();
  return peopleOf({ config: () => config, pairing: pairedSenders(cli.places) });
}

/** @throws RuntimeError `usage.wrong`: no channel of that name, no id. */
export function identityOf(cli: Cli, text = ""): Identity {
  const [, channel = "", sender = ""] = /^([a-z0-9_-]+):(.+)$/i.exec(text) ?? [];
  if (!isKnownChannel(channel, cli.loadShown().config.channelsById))
    throw new RuntimeError("usage.wrong", cli.t("people.identity", { channels: ourKinds().join(", ") }));
  return { channel, sender };
}
