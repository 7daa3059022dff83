/** `margay people list|explain`: also while another margay process works on the state directory. */
import { RuntimeError } from "@margay/core";
import { CHANNEL_IDS, isKnownChannel } from "../../config/channel-ids.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { pairedSenders } from "../../host/pairing.ts";
import { type People, peopleOf } from "../../host/people.ts";
import { becauseText, explained } from "./explained.ts";

/** One sender of one channel. */
export interface Identity {
  readonly channel: string;
  readonly sender: string;
}

export const listPeople: Run = (cli) => {
  const people = peopleFor(cli);
  const { config } = cli.loadShown();
  const known = identities(cli).flatMap(({ channel, sender }) => {
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
  cli.terminal.out(
    cli.json
      ? jsonLine({ channel, sender, role: "stranger", ...speaker })
      : `${explained(people, channel, sender, cli.t)}\n`,
  );
  return Promise.resolve(EXIT.done);
};

function peopleFor(cli: Cli): People {
  const { config } = cli.loadShown();
  return peopleOf({ config: () => config, pairing: pairedSenders(cli.places) });
}

/** Everybody whom the configuration or a code names, each once. */
function identities(cli: Cli): readonly Identity[] {
  const { people, channelsById } = cli.loadShown().config;
  const named = Object.values(people).flatMap(({ ids }) => ids.map((id) => split(id)));
  const configured = Object.entries(channelsById).flatMap(([channel, { operators, allowFrom }]) =>
    [...operators, ...allowFrom].map((sender) => ({ channel, sender })),
  );
  const all = [...named, ...configured, ...pairedSenders(cli.places).list()].filter(({ sender }) => sender !== "*");
  return [...new Map(all.map(({ channel, sender }) => [`${channel}:${sender}`, { channel, sender }])).values()];
}

function split(text: string): Identity {
  const at = text.indexOf(":");
  return { channel: text.slice(0, at), sender: text.slice(at + 1) };
}

/** @throws RuntimeError `usage.wrong`: no channel of that name, no id. */
export function identityOf(cli: Cli, text = ""): Identity {
  const [, channel = "", sender = ""] = /^([a-z0-9_-]+):(.+)$/i.exec(text) ?? [];
  if (!isKnownChannel(channel))
    throw new RuntimeError("usage.wrong", cli.t("people.identity", { channels: CHANNEL_IDS.join(", ") }));
  return { channel, sender };
}
