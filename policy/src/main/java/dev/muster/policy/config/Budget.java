package dev.muster.policy.config;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.muster.core.budget.BudgetOwner;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalAdjusters;
import org.jspecify.annotations.Nullable;

/// GPU-hours that a queue or a project may use in each period.
///
/// @param owner the queue or project
/// @param gpuHours GPU-hours for each period, at least 1
/// @param period the period after which counting begins at 0 again
/// @param onExceeded what happens when they are used
public record Budget(BudgetOwner owner, int gpuHours, Period period, OnExceeded onExceeded) {
  @JsonCreator
  static Budget read(
      @JsonProperty("queue") @Nullable String queue,
      @JsonProperty("project") @Nullable String project,
      @JsonProperty("gpuHours") int gpuHours,
      @JsonProperty("period") Period period,
      @JsonProperty("onExceeded") OnExceeded onExceeded) {
    BudgetOwner owner =
        queue != null
            ? BudgetOwner.queue(queue)
            : BudgetOwner.project(project == null ? "" : project);
    return new Budget(owner, gpuHours, period, onExceeded);
  }

  /// What happens when a budget is spent.
  public enum OnExceeded {
    /// It is told. Gangs start as before.
    @JsonProperty("Tell")
    TELL("Tell"),
    /// Gangs do not start before the next period. Those that run go on.
    @JsonProperty("Hold")
    HOLD("Hold");

    private final String text;

    OnExceeded(String text) {
      this.text = text;
    }

    /// Returns the name in the file.
    public String text() {
      return text;
    }
  }

  /// A period of the calendar, in UTC.
  public enum Period {
    @JsonProperty("Day")
    DAY("Day", 1),
    /// Weeks begin on Monday, as in ISO 8601.
    @JsonProperty("Week")
    WEEK("Week", 7),
    @JsonProperty("Month")
    MONTH("Month", 31),
    @JsonProperty("Quarter")
    QUARTER("Quarter", 92),
    @JsonProperty("Year")
    YEAR("Year", 366);

    private final String text;
    private final int mostDays;

    Period(String text, int mostDays) {
      this.text = text;
      this.mostDays = mostDays;
    }

    /// Returns the name in the file.
    public String text() {
      return text;
    }

    /// Returns the number of days of the longest such period.
    public int mostDays() {
      return mostDays;
    }

    /// Returns the first day of the period that contains the day.
    public LocalDate first(LocalDate day) {
      return switch (this) {
        case DAY -> day;
        case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
        case MONTH -> day.withDayOfMonth(1);
        case QUARTER -> day.with(IsoFields.DAY_OF_QUARTER, 1);
        case YEAR -> day.withDayOfYear(1);
      };
    }

    /// Returns the first day of the period after the one that contains the day.
    public LocalDate next(LocalDate day) {
      LocalDate first = first(day);
      return switch (this) {
        case DAY -> first.plusDays(1);
        case WEEK -> first.plusWeeks(1);
        case MONTH -> first.plusMonths(1);
        case QUARTER -> first.plusMonths(3);
        case YEAR -> first.plusYears(1);
      };
    }
  }
}
