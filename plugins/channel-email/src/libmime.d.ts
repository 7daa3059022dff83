/** It is loaded ahead of who uses it, and nothing of it is called here. */
declare module "libmime";
