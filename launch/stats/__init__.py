"""Statistics of programs: instruction mix, bytes moved, messages, multiplications and crossbars."""
