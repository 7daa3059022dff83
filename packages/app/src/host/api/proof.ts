/** Changes that weaken safety, start programs or move secrets need the owner, or a browser's fresh proof. */
import type { Text } from "../../texts/text.ts";
import { allows } from "../auth/credential.ts";
import { Problem } from "./problem.ts";
import type { Call } from "./route.ts";
import { told } from "./words.ts";
import { TEXT } from "./api-texts.ts";

function isOwner({ credential, services }: Pick<Call<unknown, unknown>, "credential" | "services">): boolean {
  return credential !== undefined && allows(credential, "owner", services.app.clock.now());
}

/** @param what The thing that needs it, for the text, in both languages. @throws Problem `auth.fresh-required`; `auth.scope` for a token. */
export function requireOwner(call: Pick<Call<unknown, unknown>, "credential" | "services">, what: Text): void {
  if (isOwner(call)) return;
  // Only a browser of the owner can prove anything; a token is what it is.
  if (call.credential?.kind !== "browser" || call.credential.for !== undefined)
    throw new Problem("auth.scope", told({ detail: TEXT.needsScopeOwner, remedy: TEXT.useTokenScope }, { what }));
  throw new Problem(
    "auth.fresh-required",
    told({ detail: TEXT.needsFreshProof, remedy: TEXT.confirmPasswordOr }, { what }),
  );
}
