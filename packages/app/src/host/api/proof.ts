/** Changes that weaken safety, start programs or move secrets need the owner, or a browser's fresh proof. */
import type { Text } from "../../texts/text.ts";
import { allows } from "../auth/credential.ts";
import { Problem } from "./problem.ts";
import type { Call } from "./route.ts";

function isOwner({ credential, services }: Pick<Call<unknown, unknown>, "credential" | "services">): boolean {
  return credential !== undefined && allows(credential, "owner", services.app.clock.now());
}

/** @param what The thing that needs it, for the text, in both languages. @throws Problem `auth.fresh-required`; `auth.scope` for a token. */
export function requireOwner(call: Pick<Call<unknown, unknown>, "credential" | "services">, what: Text): void {
  if (isOwner(call)) return;
  // Only a browser can prove anything; a token is what it is.
  if (call.credential?.kind !== "browser")
    throw new Problem("auth.scope", {
      detail: `${what.en} needs the scope owner.`,
      remedy: "Use a token with that scope: margay token create --scope owner",
      zh: {
        detail: `${what["zh-CN"]}需要 owner 权限。`,
        remedy: "请使用具有该权限的令牌：margay token create --scope owner",
      },
    });
  throw new Problem("auth.fresh-required", {
    detail: `${what.en} needs a fresh proof that it is you.`,
    remedy: "Confirm with the password, or with the code of `margay open --code`.",
    zh: { detail: `${what["zh-CN"]}需要再次确认身份。`, remedy: "请用密码或 `margay open --code` 给出的代码确认。" },
  });
}
