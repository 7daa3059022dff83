/** `margay open`: a login link for the running gateway, or a code that proves to it who sits here. */
import { type JsonObject } from "@margay/core";
import { EXIT, textOption, type Run } from "../../host/cli/command.ts";
import { requireGateway } from "../../host/control/client.ts";
import { pageOf, showLink } from "../../host/cli/login-link.ts";
import { jsonLine } from "../../host/cli/output.ts";

export const openLink: Run = async (cli, input) => {
  const gateway = requireGateway(cli);
  const wantsCode = input.options["code"] === true;
  const person = textOption(input, "for");
  const minted = (await gateway.request("POST", "/auth/codes", {
    kind: wantsCode ? "confirm" : "login",
    ...(person !== undefined && { for: person }),
  })) as JsonObject;
  const code = String(minted["code"]);
  if (wantsCode) {
    const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
    cli.terminal.out(
      cli.json
        ? jsonLine({ code: shown, expiresAt: minted["expiresAt"] })
        : `${cli.t("gateway.code", { code: shown })}\n`,
    );
    return EXIT.done;
  }
  const link = `${pageOf(cli, gateway.url)}/#login=${code}`;
  cli.terminal.out(
    cli.json ? jsonLine({ link, expiresAt: minted["expiresAt"] }) : `${cli.t("gateway.link", { link })}\n`,
  );
  // Whoever it is for opens it, in their own browser.
  if (person === undefined && input.options["open"] !== false && !cli.json) showLink(cli, link);
  return EXIT.done;
};
