/** `margay people list|explain`: also while another margay process works on the state directory. */
import { RuntimeError } from "@margay/core";
import { isKnownChannel, ourKinds } from "../../config/channel-ids.ts";
import { EXIT, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";
import { pairedSenders } from "../../host/pairing.ts";
import { identitiesOf, type Identity, type People, peopleOf } from "../../host/people.ts";
import { explain } from "./explain.ts";
import { becauseText } from "./explained.ts";

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
  const { config } = cli.loadShown();
  const { speaker, gate, agent, texts } = explain(
    { channel, sender, group: textOption(input, "group"), isNamed: input.options["addressed"] === true },
    { config, pairing: pairedSenders(cli.places), places: cli.places },
    cli.t,
  );
  const more = { ...(gate !== undefined && { group: gate }), ...(agent !== undefined && { agent }) };
  cli.terminal.out(
    cli.json ? jsonLine({ channel, sender, role: "stranger", ...speaker, ...more }) : `${texts.join("\n")}\n`,
  );
  return Promise.resolve(EXIT.done);
};

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
