/** `virtual:form/<file below features>#<export>`: a wire shape, made when the pages are built (scripts/lib/form-schemas.mjs). */
declare module "virtual:form/*" {
  import type { JsonSchema } from "./ui/form-shape.ts";

  const schema: JsonSchema;
  export default schema;
}

interface ImportMetaEnv {
  /** Path of the diagram frame. */
  readonly MARGAY_DIAGRAM: string;
  /** Path of the frame in which a page of the model is shown. */
  readonly MARGAY_PREVIEW: string;
}
