import { DIALECTS } from "../support/dialect_rows.ts";
import { testDialects } from "../support/output_schema.ts";

Deno.test("an answer by a schema is had from every dialect", () => testDialects(DIALECTS));
