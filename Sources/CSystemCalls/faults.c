// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "CSystemCalls.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

struct report {
  char *before;
  char *after;
  int code;
};

enum { signal_limit = 32 };
static const char *descriptions[signal_limit];

// A replaced report stays in memory, because a handler may still be reading it.
static struct report *_Atomic fault_report;
static struct report *_Atomic late_report;

// A copy of the original standard error, which is redirected for a moment to filter a runtime's
// messages.
static int messages = STDERR_FILENO;

static struct report *make_report(const char *before, const char *after, int code) {
  struct report *report = malloc(sizeof(*report));
  if (report == NULL) return NULL;
  *report = (struct report){strdup(before), strdup(after), code};
  return report;
}

// Ends the process, with only calls that are allowed in a signal handler.
static void end_with(const struct report *report, const char *between) {
  const char *texts[] = {report->before, between, report->after, "\n"};
  struct iovec parts[4];
  for (int index = 0; index < 4; index++) {
    const char *text = texts[index] != NULL ? texts[index] : "";
    parts[index] = (struct iovec){(void *)text, strlen(text)};
  }
  // There is no one to report a failed write to.
  if (writev(messages, parts, 4) < 0) _exit(report->code);
  _exit(report->code);
}

static void end_by_fault(int number) {
  const struct report *report = atomic_load(&fault_report);
  if (report != NULL) end_with(report, descriptions[number]);
  raise(number);
}

static void end_late(int number) {
  (void)number;
  const struct report *report = atomic_load(&late_report);
  if (report != NULL) end_with(report, "");
}

static void handle(int number, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | flags};
  sigfillset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

// Gives the thread a stack for signal handlers, unless it already has one.
static void prepare_handlers(void) {
  static char stack_memory[1 << 16];
  stack_t old;
  if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE) != 0) {
    stack_t stack = {.ss_sp = stack_memory, .ss_size = sizeof(stack_memory)};
    sigaltstack(&stack, NULL);
  }
  int copy = copy_descriptor(STDERR_FILENO);
  if (copy >= 0) messages = copy;
}

void describe_fault(int signal, const char *description) {
  if (signal > 0 && signal < signal_limit) descriptions[signal] = strdup(description);
}

void report_faults(const char *before, const char *after, int code) {
  bool is_first = atomic_load(&fault_report) == NULL;
  atomic_store(&fault_report, make_report(before, after, code));
  if (!is_first) return;
  prepare_handlers();
  for (int number = 1; number < signal_limit; number++) {
    if (descriptions[number] != NULL) handle(number, end_by_fault, SA_RESETHAND);
  }
}

void end_later(uint32_t milliseconds, const char *text, int code) {
  if (milliseconds > 0) {
    atomic_store(&late_report, make_report(text, "", code));
    handle(SIGALRM, end_late, SA_RESTART);
  }
  struct itimerval timer = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);
}
