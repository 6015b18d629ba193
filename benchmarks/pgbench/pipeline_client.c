/* Selects by key in pipelines of prepared statements, with as little work in the client as can be: messages are made once
   and only the keys in them change; answers are counted and not kept.

   pipeline_client PORT ACCOUNTS CLIENTS SECONDS SELECTS_PER_PIPELINE
   prints "selects = N" and "tps = N" (selects a second). Each client has a connection and a thread. An answer that is not one
   row for each select ends it with 1. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { KEY_DIGITS = 9, ANSWER_BYTES = 1 << 16 };

static int port, per_pipeline;
static long accounts;
static double end_seconds;

struct client {
  pthread_t thread;
  uint64_t random;
  long selects;
  int descriptor;
  size_t unread;
  char answers[ANSWER_BYTES];
};

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static char* put_int(char* to, uint32_t value) {
  value = htonl(value);
  memcpy(to, &value, 4);
  return to + 4;
}

static char* put_short(char* to, uint16_t value) {
  value = htons(value);
  memcpy(to, &value, 2);
  return to + 2;
}

static char* put_text(char* to, const char* text) {
  return stpcpy(to, text) + 1;
}

/* Writes the length of the message that began at `message`. */
static void end_message(char* message, const char* end) {
  put_int(message + 1, (uint32_t)(end - message - 1));
}

static void send_all(const struct client* self, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t sent = send(self->descriptor, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) fail("send");
    bytes += sent;
    count -= (size_t)sent;
  }
}

/* Reads up to ReadyForQuery; the number of rows. */
static int read_answers(struct client* self) {
  int rows = 0;
  size_t at = 0;
  for (;;) {
    while (self->unread - at >= 5) {
      uint32_t length;
      memcpy(&length, self->answers + at + 1, 4);
      length = ntohl(length);
      if (self->unread - at < 1 + length) break;
      const char type = self->answers[at];
      at += 1 + length;
      if (type == 'E') {
        fprintf(stderr, "the server reports an error\n");
        exit(1);
      }
      rows += type == 'D';
      if (type != 'Z') continue;
      memmove(self->answers, self->answers + at, self->unread - at);
      self->unread -= at;
      return rows;
    }
    memmove(self->answers, self->answers + at, self->unread - at);
    self->unread -= at;
    at = 0;
    const ssize_t count = recv(self->descriptor, self->answers + self->unread, ANSWER_BYTES - self->unread, 0);
    if (count <= 0) fail("recv");
    self->unread += (size_t)count;
  }
}

static void open_session(struct client* self) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  self->descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(self->descriptor, (struct sockaddr*)&address, sizeof(address)) != 0) fail("connect");
  const int on = 1;
  setsockopt(self->descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  char message[512];
  char* end = put_int(message + 4, 196608);
  end = put_text(put_text(end, "user"), "postgres");
  end = put_text(put_text(end, "database"), "postgres");
  *end++ = 0;
  put_int(message, (uint32_t)(end - message));
  send_all(self, message, (size_t)(end - message));
  read_answers(self);
  message[0] = 'P';
  end = put_text(message + 5, "s");
  end = put_text(end, "SELECT abalance FROM pgbench_accounts WHERE aid = $1");
  end = put_short(end, 0);
  end_message(message, end);
  *end = 'S';
  put_int(end + 1, 4);
  send_all(self, message, (size_t)(end + 5 - message));
  read_answers(self);
}

/* Bind, Describe and Execute of one select, as libpq sends them; where its key stands. */
static char* put_select(char** to) {
  char* message = *to;
  *message = 'B';
  char* end = put_text(put_text(message + 5, ""), "s");
  end = put_short(put_short(end, 0), 1);
  char* const key = end = put_int(end, KEY_DIGITS);
  end = put_short(put_short(end + KEY_DIGITS, 1), 0);
  end_message(message, end);
  message = end;
  *message = 'D';
  end = put_text(message + 5, "P");
  end_message(message, end);
  message = end;
  *message = 'E';
  end = put_int(put_text(message + 5, ""), 0);
  end_message(message, end);
  *to = end;
  return key;
}

static void* run(void* argument) {
  struct client* const self = argument;
  open_session(self);
  char* const messages = malloc(128 * (size_t)per_pipeline + 16);
  char** const keys = malloc(sizeof(char*) * (size_t)per_pipeline);
  char* end = messages;
  for (int i = 0; i < per_pipeline; ++i) keys[i] = put_select(&end);
  *end = 'S';
  put_int(end + 1, 4);
  end += 5;
  while (seconds() < end_seconds) {
    for (int i = 0; i < per_pipeline; ++i) {
      self->random ^= self->random << 13;
      self->random ^= self->random >> 7;
      self->random ^= self->random << 17;
      uint64_t key = self->random % (uint64_t)accounts + 1;
      for (int digit = KEY_DIGITS - 1; digit >= 0; --digit, key /= 10) keys[i][digit] = (char)('0' + key % 10);
    }
    send_all(self, messages, (size_t)(end - messages));
    if (read_answers(self) != per_pipeline) {
      fprintf(stderr, "a select has not one row\n");
      exit(1);
    }
    self->selects += per_pipeline;
  }
  close(self->descriptor);
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 6) return 2;
  port = atoi(arguments[1]);
  accounts = atol(arguments[2]);
  const int clients = atoi(arguments[3]);
  per_pipeline = atoi(arguments[5]);
  const double begin = seconds();
  end_seconds = begin + atof(arguments[4]);
  struct client* const all = calloc((size_t)clients, sizeof(struct client));
  for (int i = 0; i < clients; ++i) {
    all[i].random = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
    if (pthread_create(&all[i].thread, NULL, run, &all[i]) != 0) fail("pthread_create");
  }
  long selects = 0;
  for (int i = 0; i < clients; ++i) {
    pthread_join(all[i].thread, NULL);
    selects += all[i].selects;
  }
  printf("selects = %ld\ntps = %f\n", selects, (double)selects / (seconds() - begin));
  return 0;
}
