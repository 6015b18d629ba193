/* A client that uses libpq with no driver between: simple, extended, prepared, single-row, pipelined, COPY and cancel.
 * Prints what it sees, one line per fact; the test runs it against PostgreSQL and Gnomon and compares the lines.
 * Usage: libpq_client CONNECTION_STRING
 */
#include <libpq-fe.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <arpa/inet.h>

static void show(const char* what, PGresult* result) {
  printf("%s: %s [%s]", what, PQresStatus(PQresultStatus(result)), PQcmdStatus(result));
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (state) printf(" %s at %s", state, PQresultErrorField(result, PG_DIAG_STATEMENT_POSITION));
  printf("\n");
  for (int row = 0; row < PQntuples(result); row++) {
    for (int column = 0; column < PQnfields(result); column++) {
      printf("  %s:%u:%d=", PQfname(result, column), PQftype(result, column), PQfmod(result, column));
      if (PQgetisnull(result, row, column)) {
        printf("NULL");
      } else if (PQfformat(result, column) == 0) {
        printf("%s", PQgetvalue(result, row, column));
      } else {
        for (int byte = 0; byte < PQgetlength(result, row, column); byte++)
          printf("%02x", (unsigned char)PQgetvalue(result, row, column)[byte]);
      }
    }
    printf("\n");
  }
  PQclear(result);
}

static void extended(PGconn* connection) {
  const char* values[] = {"41", NULL, "text"};
  show("parameters", PQexecParams(connection, "select $1::int + 1 as a, $2::text as b, $3 || '!' as c", 3, NULL, values, NULL, NULL, 0));
  uint32_t number = htonl(7);
  const char* binary[] = {(const char*)&number};
  int lengths[] = {sizeof number}, formats[] = {1};
  Oid types[] = {23};
  show("binary", PQexecParams(connection, "select $1 * 6 as a, 1.5 as b", 1, types, binary, lengths, formats, 1));
  show("bad parameter", PQexecParams(connection, "select $1::int", 1, NULL, &values[2], NULL, NULL, 0));
}

static void prepared(PGconn* connection) {
  show("prepare", PQprepare(connection, "by_key", "select b from libpq_rows where a = $1", 0, NULL));
  PGresult* described = PQdescribePrepared(connection, "by_key");
  printf("described: %d parameters, first %u, %d columns, first %u\n", PQnparams(described), PQparamtype(described, 0),
         PQnfields(described), PQftype(described, 0));
  PQclear(described);
  for (int key = 1; key <= 4; key++) {
    char text[12];
    snprintf(text, sizeof text, "%d", key);
    const char* values[] = {text};
    show("execute", PQexecPrepared(connection, "by_key", 1, values, NULL, NULL, 0));
  }
}

static void single_row(PGconn* connection) {
  PQsendQuery(connection, "select a from libpq_rows order by a; select 10 / (a - 2) from libpq_rows where a = 2");
  PQsetSingleRowMode(connection);
  PGresult* result;
  while ((result = PQgetResult(connection)) != NULL) show("row", result);
}

static void pipeline(PGconn* connection) {
  PQenterPipelineMode(connection);
  const char* queries[] = {"select 1", "select nosuch", "select 3", "select 4"};
  for (int n = 0; n < 4; n++) {
    PQsendQueryParams(connection, queries[n], 0, NULL, NULL, NULL, NULL, 0);
    if (n >= 2) PQpipelineSync(connection);
  }
  for (int syncs = 0; syncs < 2;) {
    PGresult* result = PQgetResult(connection);
    if (!result) continue;
    syncs += PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    show("pipeline", result);
  }
  PQexitPipelineMode(connection);
}

static void copy(PGconn* connection) {
  show("copy in", PQexec(connection, "copy libpq_rows from stdin"));
  PQputCopyData(connection, "10\tten\n11\t", 10);
  PQputCopyData(connection, "eleven\n", 7);
  PQputCopyEnd(connection, NULL);
  PGresult* result;
  while ((result = PQgetResult(connection)) != NULL) show("copied", result);
  show("copy in that fails", PQexec(connection, "copy libpq_rows from stdin"));
  PQputCopyData(connection, "12\ttwelve\n", 10);
  PQputCopyEnd(connection, "changed my mind");
  while ((result = PQgetResult(connection)) != NULL) show("not copied", result);
  show("copy out", PQexec(connection, "copy libpq_rows (a) to stdout"));
  char* line;
  int size, total = 0, lines = 0;
  while ((size = PQgetCopyData(connection, &line, 0)) > 0) {
    total += size;
    lines++;
    PQfreemem(line);
  }
  printf("copied out %d lines, %d bytes\n", lines, total);
  while ((result = PQgetResult(connection)) != NULL) show("done", result);
}

static void cancel(PGconn* connection) {
  char error[256];
  PGcancel* handle = PQgetCancel(connection);
  PQsendQuery(connection, "select count(*) from libpq_many a, libpq_many b, libpq_many c, libpq_many d");
  PQflush(connection);
  struct timespec pause = {0, 300000000};
  nanosleep(&pause, NULL);
  printf("cancel sent: %d\n", PQcancel(handle, error, sizeof error));
  PQfreeCancel(handle);
  PGresult* result;
  while ((result = PQgetResult(connection)) != NULL) show("cancelled", result);
  show("after", PQexec(connection, "select 'alive' as state"));
}

int main(int count, char** arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: libpq_client CONNECTION_STRING\n");
    return 2;
  }
  PGconn* connection = PQconnectdb(arguments[1]);
  if (PQstatus(connection) != CONNECTION_OK) {
    fprintf(stderr, "%s", PQerrorMessage(connection));
    return 1;
  }
  printf("server %d, encoding %s, conforming strings %s, integer datetimes %s\n", PQserverVersion(connection) / 10000,
         PQparameterStatus(connection, "client_encoding"), PQparameterStatus(connection, "standard_conforming_strings"),
         PQparameterStatus(connection, "integer_datetimes"));
  show("create", PQexec(connection, "create table libpq_rows (a integer, b text)"));
  show("create", PQexec(connection, "create table libpq_many (n integer)"));
  show("insert", PQexec(connection, "insert into libpq_rows values (1, 'one'), (2, null), (3, 'three')"));
  char* many = malloc(1 << 16);
  int length = sprintf(many, "insert into libpq_many values (0)");
  for (int n = 1; n < 3000; n++) length += sprintf(many + length, ", (%d)", n);
  show("insert", PQexec(connection, many));
  free(many);
  extended(connection);
  prepared(connection);
  single_row(connection);
  pipeline(connection);
  copy(connection);
  cancel(connection);
  show("drop", PQexec(connection, "drop table libpq_rows"));
  show("drop", PQexec(connection, "drop table libpq_many"));
  PQfinish(connection);
  return 0;
}
