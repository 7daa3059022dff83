/** `margay people add|remove|link|unlink`: written into `config.json`, which a running gateway follows. */
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { RuntimeError } from "@margay/core";
import { isRecord } from "@margay/core/internal";
import { readConfigFile } from "../../config/load.ts";
import { isPersonId } from "../../config/people-faults.ts";
import { valueAt } from "../../config/value-at.ts";
import { EXIT, listOption, textOption, type Cli, type Run } from "../../host/cli/command.ts";
import { linkTo, save, unknown, unlinkFrom } from "../../host/cli/link-person.ts";
import { jsonLine, safeText } from "../../host/cli/output.ts";
import { recordFromCommand } from "../../host/control/record-from-command.ts";
import { OWNER, type Identity } from "../../host/people.ts";
import { HOUSE_FILES, roomFolders } from "../../host/spaces.ts";
import { identityOf } from "./command.ts";
import { goneOf, rememberGone } from "./gone.ts";
import { invite, show } from "./invite-command.ts";

export const addPerson: Run = async (cli, input) => {
  const [person = ""] = input.args;
  const seen = readConfigFile(cli.places, cli.t);
  if (!isPersonId(person) || person === OWNER)
    throw new RuntimeError("usage.wrong", cli.t("people.name", { name: safeText(person) }));
  if (valueAt(seen.raw, ["people", person]) !== undefined)
    throw new RuntimeError("usage.wrong", cli.t("people.there", { name: person }));
  // Journals speak of people by these names.
  if (goneOf(cli.places).includes(person))
    throw new RuntimeError("usage.wrong", cli.t("people.gone", { name: person }));
  const ids = listOption(input, "id").map((text) => {
    const { channel, sender } = identityOf(cli, text);
    return `${channel}:${sender}`;
  });
  const role = textOption(input, "role") ?? "member";
  const name = textOption(input, "name");
  await save(cli, seen, [
    [`people.${person}.role`, role],
    ...(name === undefined ? [] : [[`people.${person}.name`, name] as const]),
    ...(ids.length === 0 ? [] : [[`people.${person}.ids`, ids] as const]),
  ]);
  await recordFromCommand(cli, "person.added", { person, role, by: "user" });
  // Who is named by no account is asked in.
  const isInvited = role === "member" && ids.length === 0;
  const invitation = isInvited ? await invite(cli, person) : undefined;
  if (cli.json) cli.terminal.out(jsonLine({ person, role, ids, ...(invitation !== undefined && { invitation }) }));
  else {
    cli.terminal.out(
      `${[cli.t(`people.added.${role === "operator" ? "operator" : "member"}`, { name: person }), ...house(cli)].join("\n")}\n`,
    );
    if (invitation !== undefined) await show(cli, invitation);
  }
  return EXIT.done;
};

/** What the person will be able to learn, before they ask. */
function house(cli: Cli): readonly string[] {
  const { workspace } = cli.loadShown();
  const files = HOUSE_FILES.filter((file) => existsSync(join(workspace, file)));
  if (files.length === 0) return [];
  const lines = files.map((file) => `  ${join(workspace, file)} (${statSync(join(workspace, file)).size} B)`);
  return [cli.t("people.house"), ...lines];
}

export const removePerson: Run = async (cli, input) => {
  const [person = ""] = input.args;
  const seen = readConfigFile(cli.places, cli.t);
  const keys = valueAt(seen.raw, ["people", person]);
  if (person === OWNER || !isRecord(keys)) throw unknown(cli, person);
  // First: a name that was in use is not free again, wherever this is cut off.
  await rememberGone(cli.places, person);
  await save(
    cli,
    seen,
    Object.keys(keys).map((key) => [`people.${person}.${key}`, undefined] as const),
  );
  await recordFromCommand(cli, "person.removed", { person, by: "user" });
  const folders = roomFolders(cli.places, person).filter((folder) => existsSync(folder));
  const isDeleted = input.options["delete"] === true;
  if (isDeleted) for (const folder of folders) rmSync(folder, { recursive: true });
  if (cli.json) {
    cli.terminal.out(jsonLine({ person, folders, deleted: isDeleted }));
    return EXIT.done;
  }
  const kept =
    folders.length === 0
      ? []
      : [cli.t(isDeleted ? "people.deleted" : "people.kept"), ...folders.map((folder) => `  ${folder}`)];
  cli.terminal.out(`${[cli.t("people.removed", { name: person }), ...kept].join("\n")}\n`);
  return EXIT.done;
};

export const linkIdentity: Run = async (cli, input) => {
  const [person = "", text] = input.args;
  const identity = identityOf(cli, text);
  const isNew = await linkTo(cli, person, identity);
  return said(cli, person, identity, isNew ? "people.linked" : "people.already");
};

export const unlinkIdentity: Run = async (cli, input) => {
  const [person = "", text] = input.args;
  const identity = identityOf(cli, text);
  const { path, was } = await unlinkFrom(cli, person, identity);
  if (!was) {
    const who = safeText(`${identity.channel}:${identity.sender}`);
    throw new RuntimeError("usage.wrong", cli.t("people.notLinked", { who, path }));
  }
  return said(cli, person, identity, "people.unlinked");
};

function said(
  cli: Cli,
  person: string,
  { channel, sender }: Identity,
  text: "people.linked" | "people.already" | "people.unlinked",
): number {
  const who = safeText(`${channel}:${sender}`);
  const words = person === OWNER ? cli.t(text, { who }) : cli.t(`${text}.to`, { who, name: person });
  cli.terminal.out(cli.json ? jsonLine({ person, channel, sender }) : `${words}\n`);
  return EXIT.done;
}
