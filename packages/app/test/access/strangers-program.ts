// A process in which strangers write one after the other: what a gateway does while a command changes who is admitted.
import { openFileDocs } from "@margay/core/internal";
import { openPairing } from "../../src/host/pairing.ts";

const [directory = "", count = "0"] = process.argv.slice(2);
const pairing = openPairing(openFileDocs(directory), { now: Date.now });
process.stdout.write("begun\n");
for (let n = 0; n < Number(count); n++) await pairing.offer(`telegram-${Math.floor(n / 3)}`, `stranger-${n}`);
