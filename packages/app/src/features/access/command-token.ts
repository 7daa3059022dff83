/** `margay token`: credentials for programs. With a running gateway it is asked, else the file is changed. */
import { RuntimeError, type Json, type JsonObject } from "@margay/core";
import { endAfter, withAuth } from "../../compose/manage-auth.ts";
import { EXIT, listOption, textOption, type Cli, type Input, type Run } from "../../host/cli/command.ts";
import { findGateway } from "../../host/control/client.ts";
import { jsonLine, safeText, table } from "../../host/cli/output.ts";

const SCOPES = ["owner", "admin", "chat", "read", "metrics"] as const;

export const createToken: Run = async (cli, input) => {
  const scopes = scopesOf(cli, input);
  const name = textOption(input, "name") ?? scopes.join("+");
  const days = numberOption(cli, input, "days", 1, 3650);
  const budgetUsdPerDay = numberOption(cli, input, "budget", 0, 100_000);
  const wanted = {
    name,
    scopes,
    ...(days !== undefined && { expiresAt: endAfter(days) }),
    ...(budgetUsdPerDay !== undefined && { budgetUsdPerDay }),
  };
  const gateway = findGateway(cli);
  const made =
    gateway === undefined
      ? await withAuth(cli.places.home, (auth) => auth.createToken(wanted))
      : ((await gateway.request("POST", "/auth/tokens", wanted)) as { readonly id: string; readonly token: string });
  if (cli.json) cli.terminal.out(jsonLine(made));
  else {
    cli.terminal.err(`${cli.t("token.made", { id: made.id })}\n`);
    cli.terminal.out(`${made.token}\n`);
  }
  return EXIT.done;
};

export const listTokens: Run = async (cli) => {
  const gateway = findGateway(cli);
  const items =
    gateway === undefined
      ? await withAuth(cli.places.home, (auth) =>
          auth.tokens().map(({ digest: _digest, previous: _previous, ...one }) => one),
        )
      : (((await gateway.request("GET", "/auth/tokens")) as JsonObject)["items"] as unknown as readonly TokenRow[]);
  if (cli.json) cli.terminal.out(jsonLine({ items }));
  else if (items.length === 0) cli.terminal.out(`${cli.t("token.none")}\n`);
  else
    cli.terminal.out(
      table([
        ["Id", cli.t("token.name"), cli.t("token.scopes"), cli.t("token.until")],
        ...items.map((one) => [one.id, safeText(one.name), one.scopes.join(" "), dateOf(one.expiresAt)]),
      ]),
    );
  return EXIT.done;
};

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number | undefined;
}

export const rotateToken: Run = async (cli, input) => {
  const id = await knownId(cli, input);
  const graceSec = numberOption(cli, input, "grace", 0, 3600) ?? 0;
  const gateway = findGateway(cli);
  const token =
    gateway === undefined
      ? await withAuth(cli.places.home, (auth) => auth.rotateToken(id, graceSec * 1000) ?? "")
      : String(((await gateway.request("POST", `/auth/tokens/${id}/rotate`, { graceSec })) as JsonObject)["token"]);
  if (cli.json) cli.terminal.out(jsonLine({ id, token }));
  else {
    cli.terminal.err(`${cli.t("token.made", { id })}\n`);
    cli.terminal.out(`${token}\n`);
  }
  return EXIT.done;
};

export const revokeToken: Run = async (cli, input) => {
  const id = await knownId(cli, input);
  const gateway = findGateway(cli);
  if (gateway === undefined) await withAuth(cli.places.home, (auth) => auth.revokeToken(id));
  else await gateway.request("DELETE", `/auth/tokens/${id}`);
  cli.terminal.out(cli.json ? jsonLine({ id, revoked: true }) : `${cli.t("token.revoked", { id })}\n`);
  return EXIT.done;
};

/** @throws RuntimeError `usage.wrong` for one that is not in the list. */
async function knownId(cli: Cli, input: Input): Promise<string> {
  const id = input.args[0] ?? "";
  const gateway = findGateway(cli);
  const items: readonly Json[] | readonly { readonly id: string }[] =
    gateway === undefined
      ? await withAuth(cli.places.home, (auth) => auth.tokens())
      : (((await gateway.request("GET", "/auth/tokens")) as JsonObject)["items"] as readonly { readonly id: string }[]);
  if (items.some((one) => typeof one === "object" && one !== null && "id" in one && one.id === id)) return id;
  throw new RuntimeError("usage.wrong", cli.t("token.unknown", { id: safeText(id) }));
}

function scopesOf(cli: Cli, input: Input): readonly (typeof SCOPES)[number][] {
  const typed = listOption(input, "scope");
  const wrong = typed.find((one) => !SCOPES.some((scope) => scope === one));
  if (wrong !== undefined) throw new RuntimeError("usage.wrong", cli.t("token.badScope", { name: safeText(wrong) }));
  return typed.length === 0 ? ["chat"] : SCOPES.filter((scope) => typed.includes(scope));
}

function numberOption(cli: Cli, input: Input, name: string, min: number, max: number): number | undefined {
  const value = textOption(input, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value.trim() !== "" && number >= min && number <= max) return number;
  throw new RuntimeError(
    "usage.wrong",
    cli.t("token.badNumber", { option: `--${name}`, value: safeText(value), min, max }),
  );
}

function dateOf(at: number | undefined): string {
  return at === undefined ? "–" : new Date(at).toISOString().slice(0, 10);
}
