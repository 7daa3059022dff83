/** `margay people invite`, and the end of `people add`: a code for a day, made in the file that a running gateway reads. */
import { hasCode, RuntimeError } from "@margay/core";
import { isRecord, systemClock, timeText } from "@margay/core/internal";
import { readConfigFile } from "../../config/load.ts";
import { valueAt } from "../../config/value-at.ts";
import { qrText } from "../../host/api/qr.ts";
import { EXIT, type Cli, type Run } from "../../host/cli/command.ts";
import { unknown } from "../../host/cli/link-person.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { atHolder } from "../../host/control/holder.ts";
import { recordFromCommand } from "../../host/control/record-from-command.ts";
import { openLink } from "../../host/control/terminal-client.ts";
import { OWNER } from "../../host/people.ts";
import type { PEOPLE_OPERATIONS } from "./invite.ts";
import { openInvitations } from "./invitations.ts";

export const invitePerson: Run = async (cli, input) => {
  const [person = ""] = input.args;
  const found = valueAt(readConfigFile(cli.places, cli.t).raw, ["people", person]);
  if (person !== OWNER && !isRecord(found)) throw unknown(cli, person);
  if (person === OWNER || (isRecord(found) && found["role"] === "operator"))
    throw new RuntimeError("usage.wrong", cli.t("people.invite.operator"));
  const invitation = await invite(cli, person);
  if (cli.json) cli.terminal.out(jsonLine({ person, ...invitation }));
  else await show(cli, invitation);
  return EXIT.done;
};

type Links = Awaited<ReturnType<(typeof PEOPLE_OPERATIONS)["people.links"]["run"]>>;

export interface Made {
  readonly code: string;
  readonly expiresAt: number;
  readonly links: Links;
}

export async function invite(cli: Cli, person: string): Promise<Made> {
  const made = await openInvitations(cli.places.docs, systemClock()).make(person);
  await recordFromCommand(cli, "person.invited", { person, by: "user" });
  return { ...made, links: await linksAtHolder(cli, made.code) };
}

/** Who we are on a platform only the process knows that is connected to it; without one the code alone does. */
async function linksAtHolder(cli: Cli, code: string): Promise<Links> {
  try {
    const links = await atHolder(cli, async (path, patience) => {
      using link = await openLink(path, patience);
      return (await link.ask("operation", { name: "people.links", input: { code } })) as Links; // of the operation of that name
    });
    return links ?? [];
  } catch (error) {
    if (hasCode(error, "state.locked", "process.stopping")) return [];
    throw error;
  }
}

export async function show(cli: Cli, { code, expiresAt, links }: Made): Promise<void> {
  const { terminal, t } = cli;
  for (const { channel, url } of links) {
    const { text, columns } = await qrText(url, terminal);
    if (columns <= terminal.columns) terminal.out(`${text}\n`);
    terminal.out(`${safeText(channel)}: ${safeText(url)}\n\n`);
  }
  terminal.out(`${code}\n${t("people.invite.code", { until: timeText(expiresAt, cli.loadShown().timeZone) })}\n`);
}
