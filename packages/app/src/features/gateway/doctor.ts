/** The check of the gateway that `margay doctor` makes. */
import type { ConfigCheck } from "../../host/finding.ts";

/** Whether the gateway would start, and with a door that is closed to strangers. */
export const checkDoor: ConfigCheck = async ({ t }, loaded) => {
  const { doorFault } = await import("./door.ts");
  const found = doorFault(loaded, t);
  if (found === undefined) return [];
  const { text, isOpen } = found;
  return [
    { id: "gateway", level: "problem", text, ...(isOpen && { repair: "margay config set gateway.host 127.0.0.1" }) },
  ];
};
