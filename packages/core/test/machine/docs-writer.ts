// A process that changes one document again and again: node docs-writer.ts DIRECTORY NAME COUNT.
import { changeDoc } from "../../src/lib/async/change-doc.ts";
import { openFileDocs } from "../../src/machine/files/file-docs.ts";

const [directory = "", who = "", count = ""] = process.argv.slice(2);
const docs = openFileDocs(directory);
for (let n = 0; n < Number(count); n++)
  await changeDoc(docs, "list.json", (body = "[]") => {
    const names = JSON.parse(body) as readonly string[]; // written below
    return [JSON.stringify([...names, `${who}${n}`]), undefined];
  });
